// A page of `arena report --watch`: a file beside it names the newest version, and the page loads itself again.
const liveFile = document.body.dataset.live;
const KEPT = `regret-arena ${location.pathname}`;
const inputs = () => [...document.querySelectorAll("input, select")].filter(each => !each.closest(".chart, .film"));

const remembered = () => {
  const text = liveFile && sessionStorage.getItem(KEPT);
  if (!text) return;
  sessionStorage.removeItem(KEPT);
  const kept = JSON.parse(text);
  for (const id of kept.open) document.getElementById(id)?.setAttribute("open", "");
  inputs().forEach((each, at) => {
    const before = kept.inputs[at];
    if (before === undefined) return;
    if (each.type === "radio") each.checked = before;
    else if (each.value !== before && (each.tagName !== "SELECT" || [...each.options].some(option => option.value === before))) {
      each.value = before;
      each.dispatchEvent(new Event(each.tagName === "SELECT" ? "change" : "input"));
    }
  });
  addEventListener("load", () => scrollTo(0, kept.scroll));
};

if (liveFile) {
  globalThis.regretArenaVersion = version => {
    if (version === document.body.dataset.version) return;
    sessionStorage.setItem(KEPT, JSON.stringify({
      scroll: scrollY,
      open: [...document.querySelectorAll("details[open][id]")].map(each => each.id),
      inputs: inputs().map(each => (each.type === "radio" ? each.checked : each.value)),
    }));
    location.reload();
  };
  setInterval(() => {
    const script = element("script", undefined, { src: `${liveFile}?${Date.now()}` });
    script.onload = script.onerror = () => script.remove();
    document.head.append(script);
  }, 1000);
}
