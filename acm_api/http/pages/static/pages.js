"use strict";
// Live pages: when something happens in the run, the part that changes is fetched again from the
// server, which has escaped it. Nothing here makes HTML out of data.
(() => {
  const live = document.getElementById("live");
  const token = document.querySelector("meta[name=csrf]")?.content || "";
  let busy = false, again = false;

  async function refresh() {
    if (busy) { again = true; return; }
    busy = true;
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
      if (answer.ok) {
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const fresh = page.getElementById("live");
        if (fresh && live) {
          const open = new Set([...live.querySelectorAll("details[open][id]")].map((one) => one.id));
          live.replaceChildren(...fresh.childNodes);
          for (const id of open) document.getElementById(id)?.setAttribute("open", "");
        }
      }
    } catch { /* the server is away; the stream tries again by itself */ }
    setTimeout(() => { busy = false; if (again) { again = false; refresh(); } }, 700);
  }

  if (live?.dataset.events) {
    const stream = new EventSource(live.dataset.events);
    const mark = document.getElementById("connection");
    const say = (text) => { if (mark) mark.textContent = text; };
    stream.onopen = () => say("live");
    stream.onerror = () => say("connecting…");
    for (const kind of ["progress", "stage", "document_finished", "run_finished", "run_paused", "uncertain"])
      stream.addEventListener(kind, refresh);
    stream.addEventListener("end", () => { stream.close(); say("ended"); refresh(); });
  }

  document.addEventListener("click", async (event) => {
    const button = event.target.closest("button[data-post]");
    if (!button) return;
    if (button.dataset.confirm && !confirm(button.dataset.confirm)) return;
    button.disabled = true;
    const answer = await fetch(button.dataset.post, {
      method: "POST", headers: { "Content-Type": "application/json", "X-CSRF-Token": token }, body: button.dataset.body || "{}",
    });
    if (answer.ok) { location.reload(); return; }
    const problem = await answer.json().catch(() => ({ detail: answer.statusText }));
    const said = document.getElementById("said");
    if (said) said.textContent = problem.detail;
    button.disabled = false;
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
