// Sorts, filters and pages the tables of a report, and opens the folds that a link leads into.
// Everything can be read without it.
(() => {
  "use strict";
  const PAGE = 50;
  const numeric = /^[^\d<>+\u2212-]*([<>+\u2212-]?\s*[\d][\d,]*\.?\d*)/;

  const value = (row, column) => {
    const cell = row.cells[column];
    if (!cell) return "";
    const given = cell.dataset.value;
    if (given !== undefined) return Number(given);
    const text = cell.textContent.trim();
    if (text === "–" || text === "") return -Infinity;
    const found = cell.classList.contains("n") && numeric.exec(text);
    return found ? Number(found[1].replace(/[<>,+\s]/g, "").replace("\u2212", "-")) : text.toLowerCase();
  };

  const compare = (one, two) => {
    if (typeof one === typeof two) return one < two ? -1 : one > two ? 1 : 0;
    return typeof one === "number" ? -1 : 1;
  };

  const element = (tag, className, text = "") => {
    const made = document.createElement(tag);
    made.className = className;
    made.textContent = text;
    return made;
  };

  function enhance(box) {
    const tables = [...box.querySelectorAll("table")];
    const rows = tables.flatMap((table) => [...table.tBodies[0].rows]);
    if (rows.length < 2) return;
    const [table] = tables;
    const body = table.tBodies[0];
    const first = Math.max(body.rows.length, 10);
    const texts = new Map();
    let order = rows, limit = first, wanted = "";
    box.querySelectorAll(":scope > details.more").forEach((fold) => fold.remove());

    const tools = element("div", "tools");
    const search = element("input", "search");
    search.type = "search";
    search.placeholder = `Filter ${rows.length} ${box.dataset.noun}s`;
    search.setAttribute("aria-label", search.placeholder);
    const count = element("span", "small");
    count.setAttribute("role", "status");
    tools.append(search, count);
    const more = element("button", "more");
    more.type = "button";

    const text = (row) => {
      if (!texts.has(row)) texts.set(row, row.textContent.toLowerCase());
      return texts.get(row);
    };
    // "P(best): likely" asks for the word beside the probability, not for that word anywhere.
    const isFound = (row) => {
      const word = /^p\(best\): ([a-z-]+)$/.exec(wanted);
      return word ? row.querySelector(`.pbest.${word[1]}`) : text(row).includes(wanted);
    };
    const show = () => {
      const found = wanted ? order.filter(isFound) : order;
      body.replaceChildren(...found.slice(0, limit));
      const left = found.length - Math.min(limit, found.length);
      more.hidden = left === 0;
      more.textContent = `Show ${Math.min(PAGE, left)} more of ${found.length}`;
      count.textContent = wanted ? `${found.length} of ${rows.length}` : "";
    };

    search.addEventListener("input", () => { wanted = search.value.trim().toLowerCase(); limit = first; show(); });
    more.addEventListener("click", () => { limit += PAGE; show(); });
    if (rows.length > 8) box.prepend(tools);
    if (rows.length > 8 && table.matches(".winners")) {
      document.querySelectorAll(".lead a[data-word]").forEach((link) => link.addEventListener("click", () => {
        search.value = `P(best): ${link.dataset.word}`;
        search.dispatchEvent(new Event("input"));
      }));
    }
    box.append(more);
    addEventListener("beforeprint", () => { limit = rows.length; show(); });

    [...table.tHead.rows[0].cells].forEach((head, column) => {
      if (!head.textContent.trim()) return;
      const button = element("button", "sort");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const before = head.getAttribute("aria-sort");
        for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
        const values = new Map(rows.map((row) => [row, value(row, column)]));
        const numbers = [...values.values()].some((one) => typeof one === "number" && one !== -Infinity) && column > 0;
        const down = before ? before === "ascending" : numbers;
        order = [...rows].sort((one, two) => compare(values.get(one), values.get(two)) * (down ? -1 : 1));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        show();
      });
    });
    show();
  }

  function reveal() {
    let id = location.hash.slice(1);
    try { id = decodeURIComponent(id); } catch { /* not encoded */ }
    const target = id && document.getElementById(id);
    if (!target) return;
    for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    // Its name is that of the fold that holds it.
    (target.parentElement.matches("details") ? target.parentElement : target).scrollIntoView();
  }

  // On narrow screens the contents stay above the text, in as many lines as they need.
  const menu = document.querySelector(".frame > nav");
  if (menu) {
    new ResizeObserver(() => {
      document.documentElement.style.setProperty("--menu", `${menu.offsetHeight + 4}px`);
    }).observe(menu);
  }

  document.querySelectorAll(".paged").forEach(enhance);
  addEventListener("hashchange", reveal);
  reveal();
})();
