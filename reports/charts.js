// Charts over the rounds, and what every part of the page's script needs. Without it tables and static figures remain.
const data = JSON.parse(document.getElementById("data").textContent);
const charts = new Map(); // host element: function that draws it again, after the colour scheme changed
const dashes = [[], [8, 4], [2, 3], [10, 3, 2, 3]];
const AXES = { linear: "linear", rounds: "logarithmic rounds", "log-log": "log-log (powers of t are straight)" };
const DECADES = 1e-6; // values below this share of the largest one are not drawn on a logarithmic axis
const FONT = '12px system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", Arial, sans-serif';

const colour = name => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
const digits = value => (value == null ? "–" : String(Number(value.toPrecision(7))));
const mark = value => (Math.abs(value) >= 1e6 || (value && Math.abs(value) < 1e-3) ? value.toExponential() : Number(value.toPrecision(6)).toLocaleString("en"));
const capital = text => text.charAt(0).toUpperCase() + text.slice(1);
const element = (tag, text, attributes = {}) => {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
};

// One set of rounds for all series, with null where a series has no value of its own.
const aligned = series => {
  const rounds = [...new Set(series.flatMap(each => each.round))].sort((a, b) => a - b);
  const place = new Map(rounds.map((round, at) => [round, at]));
  return [rounds, ...series.map(each => {
    const values = new Array(rounds.length).fill(null);
    each.round.forEach((round, at) => (values[place.get(round)] = each.values[at]));
    return values;
  })];
};

const nearest = (values, at) => {
  for (let away = 0; away < values.length; away++) {
    if (values[at - away] != null) return at - away;
    if (values[at + away] != null) return at + away;
  }
  return at;
};

// The law that a curve was found to follow, in the rounds from which it was fitted.
const fitted = (growth, rounds) => {
  const law = growth.exponent === 0 ? Math.log : round => round ** growth.exponent;
  return rounds.map(round => (round < growth.start ? null : growth.factor * law(round) + growth.constant));
};

const fit = (each, alone) => ({
  label: alone ? `fit: ${each.growth.name}` : `fit of ${each.label.split(",")[0]}`, name: alone ? each.growth.name.split(",")[0] : "", round: each.round,
  values: fitted(each.growth, each.round), colour: each.colour, dash: [1, 4], thin: true,
});

// Names at the right ends of the curves, and the first round beyond a bound. Names that would cover others move down.
const annotated = (chart, series, broken) => {
  const { ctx, bbox } = chart, ratio = devicePixelRatio || 1;
  ctx.save();
  ctx.font = FONT.replace("12px", `${12 * ratio}px`);
  ctx.lineWidth = 4 * ratio;
  ctx.strokeStyle = colour("paper");
  ctx.textBaseline = "bottom";
  const write = (text, x, y, tone, align) => {
    ctx.textAlign = align;
    ctx.strokeText(text, x, y);
    ctx.fillStyle = tone;
    ctx.fillText(text, x, y);
  };
  const high = 14 * ratio, names = [];
  series.forEach((each, index) => {
    if (!chart.series[index + 1].show || !each.name) return;
    const values = chart.data[index + 1], { min, max } = chart.scales.x;
    let at = values.length - 1;
    while (at > 0 && (values[at] == null || chart.data[0][at] > max)) at--;
    if (values[at] == null || chart.data[0][at] < min) return;
    const y = chart.valToPos(values[at], "y", true) - 3 * ratio;
    if (y > bbox.top && y < bbox.top + bbox.height + high) names.push({ text: each.name, tone: each.colour, y });
  });
  let free = bbox.top + high; // the highest place that is left
  for (const { text, tone, y } of names.sort((one, two) => one.y - two.y)) {
    const place = Math.max(y, free);
    if (place - y > 2.5 * high) continue;
    write(text, bbox.left + bbox.width - 4 * ratio, place, colour(tone), "right");
    free = place + high;
  }
  broken.forEach(({ round, value, how }, row) => {
    const x = chart.valToPos(round, "x", true), y = chart.valToPos(value, "y", true);
    if (!(x >= bbox.left && x <= bbox.left + bbox.width)) return;
    ctx.strokeStyle = ctx.fillStyle = colour("bad");
    ctx.lineWidth = 1.5 * ratio;
    ctx.setLineDash([4 * ratio, 4 * ratio]);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.setLineDash([]);
    ctx.beginPath();
    ctx.arc(x, y, 5 * ratio, 0, 7);
    ctx.lineWidth = 2.2 * ratio;
    ctx.stroke();
    ctx.lineWidth = 4 * ratio;
    ctx.strokeStyle = colour("paper");
    const late = x > bbox.left + bbox.width / 2;
    write(`${how} in round ${round}`, x + (late ? -8 : 8) * ratio, bbox.top + (16 + 16 * row) * ratio, colour("bad"), late ? "right" : "left");
  });
  ctx.restore();
};

const pathsOf = { steps: uPlot.paths.stepped({ align: 1 }), dots: () => null };

// options: `level` of the heading, `name` for tables, `broken` rounds, `fits`: whether fitted laws are drawn at first
const drawn = (host, title, unit, series, options) => {
  const state = { axes: options.axes ?? "linear", fits: options.fits ?? true };
  const measured = series.filter(each => each.growth?.factor !== undefined);
  host.replaceChildren(element(options.level, title));
  const bar = element("div", undefined, { class: "bar" });
  const axes = element("select"), label = element("label", "Axes ");
  axes.append(...Object.entries(AXES).map(([value, text]) => element("option", text, { value })));
  axes.value = state.axes;
  label.append(axes);
  const whole = element("button", "Show all rounds", { type: "button" });
  bar.append(label);
  if (measured.length) {
    const fits = element("input", undefined, { type: "checkbox" }), beside = element("label");
    fits.checked = state.fits;
    beside.append(fits, " fitted growth");
    fits.onchange = () => { state.fits = fits.checked; make(); };
    bar.append(beside);
  }
  bar.append(whole);
  const place = element("div");
  host.append(bar, place);
  if (options.note) host.append(element("p", options.note, { class: "paper" }));
  host.append(numbers(title, series, options.name));
  let plot;
  const make = () => {
    plot?.destroy();
    const shown = state.fits ? [...series, ...measured.map(each => fit(each, measured.length === 1))] : series;
    const [rounds, ...curves] = aligned(shown);
    const log = state.axes === "log-log";
    const least = DECADES * Math.max(...curves.flat().filter(Number.isFinite)); // below it there is rounding only
    const positive = values => (log ? values.map(value => (value > least && value > 0 ? value : null)) : values);
    const logarithmic = { distr: 3, range: (_, low, high) => [low, low === high ? 2 * high : high] };
    const axis = label => ({
      label, stroke: colour("muted"), labelSize: 26, font: FONT, labelFont: FONT,
      values: (_, splits) => splits.map(value => (value == null ? "" : mark(value))),
      grid: { stroke: colour("hairline"), width: 1 }, ticks: { stroke: colour("hairline"), width: 1 },
    });
    const up = { ...axis(unit + (log ? " (logarithmic)" : "")), size: (_, values) => 22 + 7 * Math.max(3, ...(values || []).map(value => String(value ?? "").length)) };
    const across = axis(state.axes === "linear" ? "round" : "round (logarithmic)");
    const last = () => plot.setLegend({ idxs: [rounds, ...curves].map((values, at) => (at ? nearest(values, rounds.length - 1) : rounds.length - 1)) });
    plot = new uPlot({
      width: Math.max(place.clientWidth, 260), height: options.height ?? (innerWidth < 720 ? 280 : 360),
      scales: {
        x: { time: false, ...(state.axes === "linear" ? {} : logarithmic) },
        y: log ? { ...logarithmic, range: (_, low, high) => [low / 1.2, high * 1.3] } : {},
      },
      axes: [across, up],
      cursor: { dataIdx: (chart, at, hovered) => (at === 0 ? hovered : nearest(chart.data[at], hovered)), focus: { prox: 24 } },
      focus: { alpha: 0.35 },
      legend: { markers: { dash: (_, at) => (shown[at - 1]?.dash?.length ? "dashed" : "solid") } },
      series: [
        { label: "round", value: (_, round) => (round == null ? "–" : String(round)) },
        ...shown.map(each => ({
          label: each.label, stroke: colour(each.colour), width: each.bold ? 2.4 : each.thin ? 1.4 : 1.8, dash: each.dash, spanGaps: true,
          paths: pathsOf[each.kind],
          points: { show: each.round.length === 1 || each.kind === "dots", size: each.round.length > 300 ? 3 : 5, fill: each.kind === "dots" ? colour(each.colour) : undefined }, show: each.show ?? true,
          value: (chart, value, at, index) => {
            if (value == null) return "–";
            const round = chart.data[0][index];
            return digits(value) + (round === chart.data[0][chart.legend.idxs?.[0]] ? "" : ` (round ${round})`);
          },
        })),
      ],
      bands: options.band ? [{ series: options.band, fill: `color-mix(in srgb, ${colour("learner")} 16%, transparent)` }] : [],
      hooks: {
        ready: [() => last()],
        draw: [chart => annotated(chart, shown, options.broken ?? [])],
        setSeries: [(chart, at, options) => {
          if (at == null || options.show == null) return;
          shown[at - 1].show = options.show;
          chart.root.querySelectorAll(".u-series th")[at]?.setAttribute("aria-pressed", options.show);
        }],
      },
    }, [rounds, ...curves.map(positive)], place);
    plot.root.querySelectorAll(".u-series th").forEach((head, at) => {
      if (at === 0) return;
      for (const [key, value] of [["tabindex", 0], ["role", "button"], ["aria-pressed", shown[at - 1].show ?? true]]) head.setAttribute(key, value);
      head.onkeydown = event => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        head.click();
      };
    });
    plot.over.setAttribute("aria-hidden", "true");
    plot.over.addEventListener("mouseleave", () => setTimeout(last)); // after uPlot has emptied the legend
    host.plot = plot;
  };
  axes.onchange = () => { state.axes = axes.value; make(); };
  whole.onclick = () => plot.setData(plot.data, true);
  make();
  new ResizeObserver(() => {
    const width = Math.max(place.clientWidth, 260);
    if (plot.width !== width) plot.setSize({ width, height: plot.height });
  }).observe(place);
  charts.set(host, make);
};

// The same values as a table, for screen readers and for copying.
const numbers = (title, series, name) => {
  const box = element("details");
  box.append(element("summary", "The same values as a table"));
  box.ontoggle = () => {
    if (!box.open || box.children.length > 1) return;
    const table = element("table", undefined, { role: "table" });
    table.append(element("caption", `${title}, ${name}`, { class: "unseen" }));
    const head = table.createTHead().insertRow();
    for (const each of ["Round", ...series.map(each => each.label)]) head.append(element("th", each, { scope: "col" }));
    const [rounds, ...curves] = aligned(series);
    const step = Math.max(1, Math.ceil(rounds.length / 40));
    const body = table.createTBody();
    rounds.forEach((round, at) => {
      if (at % step && at !== rounds.length - 1) return;
      const row = body.insertRow();
      row.append(element("th", round, { scope: "row", "data-name": "round" }));
      curves.forEach((values, which) => row.append(element("td", digits(values[at]), { "data-name": series[which].label })));
    });
    const scroll = element("div", undefined, { class: "scroll", tabindex: 0, role: "region", "aria-label": `${title}, ${name}` });
    scroll.append(table);
    box.append(scroll);
  };
  return box;
};

const regretChart = (host, match, chart) => {
  const growth = chart.growth, grown = growth && growth.factor === undefined ? `, ${growth.name}` : ""; // no law to draw
  const brief = chart.quantity.length > 32 ? chart.quantity.split(/[ ,]/)[0] : chart.quantity; // the title has it in full
  const series = [{
    label: chart.quantity + grown, name: brief, round: chart.round, values: chart.measured, colour: "learner", bold: true, growth,
  }];
  if (chart.lower) series.push({ label: "lower end", round: chart.round, values: chart.lower, colour: "learner", dash: [3, 3] });
  const broken = [];
  chart.bounds.forEach((bound, at) => {
    const violated = bound.outcome === "violated", verb = bound.lower ? "forces" : "allows";
    const how = bound.lower ? "undercut" : "exceeded";
    if (violated && bound.broken) broken.push({ round: bound.broken, value: chart.measured[chart.round.indexOf(bound.broken)], how });
    series.push({
      label: `${bound.theorem} ${verb}${violated ? `, ${how} from round ${bound.broken}` : ""}`,
      name: `${bound.theorem.split("(")[0]} ${verb}`, round: chart.round, values: bound.allowed, colour: `bound-${(at % 4) + 1}`,
      dash: dashes[(at % 3) + 1],
    });
  });
  const upper = chart.bounds.some(each => !each.lower), lower = chart.bounds.some(each => each.lower);
  const against = [upper && "what the theorems allow", lower && "what the adversary forces"].filter(Boolean).join(" and ");
  const title = `${capital(chart.quantity)} ${against ? `against ${against}` : "over the rounds"}`;
  const first = broken.filter((each, at) => broken.findIndex(other => other.round === each.round) === at).slice(0, 3);
  drawn(host, title, brief, series, {
    level: host.dataset.level, name: `${match.learner} against ${match.setting}`, broken: first, band: chart.lower && [1, 2],
  });
};

const measureChart = (host, match, chart) => {
  const style = data.measures[chart.measure];
  const series = chart.lines.map((label, at) => {
    const line = style.lines[label];
    return { label, ...line, name: line.kind === "dots" ? "" : label, round: chart.round, values: chart.values[at] };
  });
  drawn(host, style.title, style.unit, series, {
    level: host.dataset.level, name: `${match.learner} against ${match.setting}`, note: style.note, height: innerWidth < 720 ? 240 : 270,
  });
};

const drawInside = section => {
  for (const place of section.querySelectorAll(".charts:empty")) {
    const match = data.matches[place.dataset.match], beside = place.classList.contains("measures");
    for (const chart of (beside ? match?.measures : match?.charts) ?? []) {
      const host = element("div", undefined, { class: "chart", "data-level": place.dataset.level });
      place.append(host);
      (beside ? measureChart : regretChart)(host, match, chart);
    }
  }
  for (const host of section.querySelectorAll(".film:empty")) filmOf(host, data.matches[host.dataset.match]);
};
