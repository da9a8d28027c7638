// Curves of many matches, links into the page, and the start of everything.

const joint = () => {
  if (!document.getElementById("joint")) return;
  const matches = data.joint.map(key => data.matches[key]);
  if (!matches.length) return;
  const kind = document.getElementById("joint-kind"), choice = document.getElementById("joint-choice");
  const styleOf = (names, name) => {
    const at = names.indexOf(name);
    return { colour: `line-${(at % 8) + 1}`, dash: dashes[Math.floor(at / 8) % 4] };
  };
  const draw = () => {
    const axes = document.querySelector("#joint-chart select")?.value;
    const other = kind.value === "setting" ? "learner" : "setting";
    const chosen = matches.filter(match => match[kind.value] === choice.value);
    const order = data[`${other}s`];
    chosen.sort((one, two) => order.indexOf(one[other]) - order.indexOf(two[other]));
    const series = chosen.map(match => ({
      label: match[other] + (match.charts[0].growth ? `, ${match.charts[0].growth.name.split(", exp")[0]}` : ""), name: match[other].split("(")[0].slice(0, 32),
      round: match.charts[0].round, values: match.charts[0].measured, growth: match.charts[0].growth, ...styleOf(order, match[other]),
    }));
    const title = kind.value === "setting" ? `Regret of all learners against ${choice.value}` : `Regret of ${choice.value} against all adversaries`;
    drawn(document.getElementById("joint-chart"), title, "regret", series, { level: "h3", name: "worst seed of each", fits: false, axes });
  };
  const choices = () => {
    document.getElementById("joint-which").textContent = kind.value === "setting" ? "Adversary" : "Learner";
    const often = name => matches.filter(match => match[kind.value] === name).length;
    const names = data[`${kind.value}s`].filter(often).sort((one, two) => often(two) - often(one)); // stable
    choice.replaceChildren(...names.map(name => element("option", name)));
    draw();
  };
  document.getElementById("joint").hidden = false;
  kind.onchange = choices;
  choice.onchange = draw;
  choices();
};

// ---- links into the page

const follow = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  for (let each = target; each; each = each.parentElement) if (each.tagName === "DETAILS") each.open = true;
  target.scrollIntoView();
  target.querySelector("summary")?.focus({ preventScroll: true });
};

for (const tools of document.querySelectorAll(".tools[hidden]")) tools.hidden = false;
document.querySelectorAll("table.sortable").forEach(sortable);
document.querySelectorAll("[data-filters]").forEach(filtered);
for (const details of document.querySelectorAll("details.match")) {
  details.addEventListener("toggle", () => details.open && !opened.includes(details) && drawInside(details));
  if (details.open) drawInside(details);
}
document.querySelectorAll("div.match").forEach(drawInside);
const opened = []; // for printing, by the page itself
const PRINTED = 24; // matches whose charts are drawn for that: those of hundreds take a minute
addEventListener("beforeprint", () => {
  const few = document.querySelectorAll("details.match").length <= PRINTED;
  for (const details of document.querySelectorAll("details:not([open])")) {
    if (details.closest(".chart")) continue;
    details.open = true;
    opened.push(details);
    if (few && details.matches(".match")) drawInside(details);
  }
});
addEventListener("afterprint", () => opened.splice(0).forEach(details => (details.open = false)));
addEventListener("hashchange", follow);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => charts.forEach(draw => draw()));
joint();
remembered();
follow();
