"use strict";
// Live pages: when something happens in the run, the part that changes is fetched again from the
// server, which has escaped it. Nothing here makes HTML out of data.
(() => {
  const live = document.getElementById("live");
  const token = document.querySelector("meta[name=csrf]")?.content || "";
  const PAUSE_MS = 700, TYPING_MS = 3000, LONGEST_MS = 30000, ANSWER_MS = 15000, SILENT_MS = 40000;
  const backoff = (failures) => Math.min(LONGEST_MS, 1000 * 2 ** failures) * (0.75 + Math.random() / 2);

  const mark = document.getElementById("connection");
  const say = (text) => { if (mark && mark.textContent !== text) mark.textContent = text; };

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

  const isTyped = () => [...live.querySelectorAll("input")].some((one) => one === document.activeElement || one.value !== one.defaultValue);

  let wanted = false, asking = false, timer = 0, failures = 0;

  function refresh() {
    wanted = true;
    if (!asking && !timer && !document.hidden) look();
  }

  function refreshNow() {
    clearTimeout(timer);
    timer = 0;
    refresh();
  }

  // Looks until the server has answered, so that the last state is shown whenever the connection was lost.
  async function look() {
    wanted = false;
    asking = true;
    let pause = PAUSE_MS;
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" }, signal: AbortSignal.timeout(ANSWER_MS) });
      if (answer.status === 429 || answer.status >= 500) throw new Error("try again");
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = answer.ok && page.getElementById("live");
      failures = 0;
      if (answer.redirected) location.reload();  // to the login
      // What somebody types is not taken away.
      else if (fresh && isTyped()) { wanted = true; pause = TYPING_MS; }
      else if (fresh) { replace(fresh); followRun(fresh.dataset.events); }
    } catch { wanted = true; pause = backoff(failures++); }
    asking = false;
    timer = setTimeout(() => { timer = 0; if (wanted) refresh(); }, pause);
  }

  // Follows a stream until it ends. The browser connects again by itself where a connection breaks; it does
  // not where a server refuses it, where the machine slept, or where a network was left without a word.
  // Hidden pages follow nothing: a browser has six connections to a server, for all its tabs.
  function follow(address, kinds) {
    let stream, last = "", heard = 0, refusals = 0, retry = 0, ended = false;
    const close = () => { clearTimeout(retry); stream?.close(); };
    const open = () => {
      close();
      if (ended || document.hidden) return;
      heard = Date.now();
      stream = new EventSource(last ? `${address}?after=${last}` : address);
      stream.onopen = () => { heard = Date.now(); refusals = 0; say("live"); };
      stream.onerror = () => {
        say("connecting…");
        if (stream.readyState === EventSource.CLOSED) retry = setTimeout(open, backoff(refusals++));
      };
      for (const [kind, react] of Object.entries(kinds)) {
        stream.addEventListener(kind, (event) => { heard = Date.now(); last = event.lastEventId || last; react(event); });
      }
      stream.addEventListener("end", () => { ended = true; close(); say("ended"); refreshNow(); });
    };
    document.addEventListener("visibilitychange", open);
    addEventListener("online", open);
    setInterval(() => { if (Date.now() - heard > SILENT_MS) open(); }, 2000);
    open();
    return () => ended;
  }

  const kinds = [
    "progress", "stage", "document_finished", "run_finished", "run_paused", "run_cancel_requested", "run_resumed",
    "run_budget_raised", "run_settled", "uncertain", "execution_failed",
  ];
  let hasEnded = () => true;
  function followRun(address) {
    if (address && hasEnded()) hasEnded = follow(address, Object.fromEntries(kinds.map((kind) => [kind, refresh])));
  }
  if (live) {
    followRun(live.dataset.events);
    document.addEventListener("visibilitychange", () => { if (!document.hidden) refreshNow(); });
    addEventListener("online", refreshNow);
  }

  const log = document.getElementById("log");
  if (log?.dataset.events) {
    const controls = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))|[\x00-\x08\x0b-\x1f\x7f]/g;
    follow(log.dataset.events, {
      log: (event) => {
        const atEnd = log.scrollTop + log.clientHeight >= log.scrollHeight - 40;
        const text = JSON.parse(event.data).log.slice(0, 200000).replace(controls, "");
        if (log.textContent !== text) log.textContent = text;
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

  const most = 2 ** 20;
  for (const chooser of document.querySelectorAll("input[data-into]")) {
    const field = document.getElementById(chooser.dataset.into);
    const fault = document.getElementById(field.getAttribute("aria-describedby"));
    chooser.addEventListener("change", async () => {
      const [file] = chooser.files;
      if (!file) return;
      fault.textContent = file.size > most ? `${file.name} has more than ${most} bytes` : "";
      if (file.size <= most) field.value = await file.text();
    });
  }

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
