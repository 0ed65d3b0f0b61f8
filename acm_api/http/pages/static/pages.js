"use strict";
// Live pages: when something happens in the run, the part that changes is fetched again from the
// server, which has escaped it. Nothing here makes HTML out of data.
(() => {
  const live = document.getElementById("live");
  const token = document.querySelector("meta[name=csrf]")?.content || "";
  let busy = false, again = false;

  const name = (one) => one && (one.id || one.dataset?.post || one.getAttribute("href") || one.getAttribute("aria-label"));

  // Folds, scrolled tables and the focus stay as they were.
  function replace(fresh) {
    const open = [...live.querySelectorAll("details[open][id]")].map((one) => one.id);
    const scrolled = [...live.querySelectorAll(".scroll")].map((one) => one.scrollLeft);
    const focused = live.contains(document.activeElement) ? name(document.activeElement) : null;
    live.replaceChildren(...fresh.childNodes);
    for (const id of open) document.getElementById(id)?.setAttribute("open", "");
    live.querySelectorAll(".scroll").forEach((one, place) => { one.scrollLeft = scrolled[place] || 0; });
    if (focused) [...live.querySelectorAll("a, button, [tabindex]")].find((one) => name(one) === focused)?.focus({ preventScroll: true });
  }

  async function refresh() {
    if (busy) { again = true; return; }
    busy = true;
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
      if (answer.ok) {
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const fresh = page.getElementById("live");
        // What somebody types is not taken away.
        if ([...(live?.querySelectorAll("input") || [])].some((one) => one === document.activeElement || one.value !== one.defaultValue)) again = true;
        else if (fresh && live) replace(fresh);
      }
    } catch { /* the server is away; the stream tries again by itself */ }
    setTimeout(() => { busy = false; if (again) { again = false; refresh(); } }, 700);
  }

  const mark = document.getElementById("connection");
  const say = (text) => { if (mark) mark.textContent = text; };

  // After a sleep or a lost connection the browser connects again by itself and says which event it
  // has seen last; only where the server refused it is another stream needed.
  function follow(address, kinds) {
    const stream = new EventSource(address);
    stream.onopen = () => say("live");
    stream.onerror = () => {
      say("connecting…");
      if (stream.readyState === EventSource.CLOSED) setTimeout(() => follow(address, kinds), 5000);
    };
    for (const [kind, react] of Object.entries(kinds)) stream.addEventListener(kind, react);
    stream.addEventListener("end", () => { stream.close(); say("ended"); refresh(); });
  }

  if (live?.dataset.events) {
    const kinds = ["progress", "stage", "document_finished", "run_finished", "run_paused", "uncertain", "execution_failed"];
    follow(live.dataset.events, Object.fromEntries(kinds.map((kind) => [kind, refresh])));
  }

  const log = document.getElementById("log");
  if (log?.dataset.events) {
    const controls = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))|[\x00-\x08\x0b-\x1f\x7f]/g;
    follow(log.dataset.events, {
      log: (event) => {
        const atEnd = log.scrollTop + log.clientHeight >= log.scrollHeight - 40;
        log.textContent = JSON.parse(event.data).log.slice(0, 200000).replace(controls, "");
        if (atEnd) log.scrollTop = log.scrollHeight;
        refresh();
      },
    });
  }

  async function send(address, body, button) {
    button.disabled = true;
    let problem;
    try {
      const answer = await fetch(address, {
        method: "POST", headers: { "Content-Type": "application/json", "X-CSRF-Token": token }, body,
      });
      if (answer.ok) { location.reload(); return; }
      problem = (await answer.json()).detail;
    } catch { problem = "the server does not answer"; }
    const said = document.getElementById("said");
    if (said) said.textContent = problem;
    button.disabled = false;
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-post]");
    if (!button || (button.dataset.confirm && !confirm(button.dataset.confirm))) return;
    send(button.dataset.post, "{}", button);
  });

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.dataset.confirm && !confirm(form.dataset.confirm)) { event.preventDefault(); return; }
    if (!form.dataset.post) return;
    event.preventDefault();
    const values = [...new FormData(form)].map(([name, value]) => [name, Number(value)]);
    send(form.dataset.post, JSON.stringify(Object.fromEntries(values)), form.querySelector("button"));
  });

  // A long list goes on while one scrolls; without this, its link leads to the next page.
  const following = document.getElementById("following");
  const list = document.getElementById("endless");
  if (following && list && "IntersectionObserver" in window) {
    let loading = false;
    const more = async () => {
      if (loading) return;
      loading = true;
      try {
        const answer = await fetch(following.href, { headers: { Accept: "text/html" } });
        if (!answer.ok) return;
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        list.append(...page.querySelectorAll("#endless > .chunk"));
        const next = page.getElementById("following");
        if (next) following.href = next.getAttribute("href");
        else { near.disconnect(); following.remove(); }
      } catch { /* the server is away; the link stays */ } finally { loading = false; }
      if (following.isConnected) { near.unobserve(following); near.observe(following); }
    };
    const near = new IntersectionObserver((seen) => { if (seen.some((one) => one.isIntersecting)) more(); }, { rootMargin: "1500px" });
    near.observe(following);
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (event.target.closest("input, textarea, select")) return;
    const keys = [...document.querySelectorAll("button[data-key]")];
    const button = keys.find((one) => one.dataset.key.split(" ").includes(event.key));
    if (!button) return;
    event.preventDefault();
    button.click();
  });

  const files = document.getElementById("files");
  files?.addEventListener("change", async () => {
    const holder = document.getElementById("documents");
    for (const file of files.files) {
      let fields = [...holder.querySelectorAll("fieldset")].find((one) => !one.querySelector("textarea").value.trim());
      if (!fields) {
        fields = holder.querySelector("fieldset").cloneNode(true);
        holder.append(fields);
      }
      fields.querySelector("input").value = file.webkitRelativePath || file.name;
      fields.querySelector("textarea").value = await file.text();
    }
  });
})();
