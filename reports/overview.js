// The report's behaviour: charts, sorting, filtering, deep links. Without it the tables and static figures remain.
(() => {
  "use strict";
  const data = JSON.parse(document.getElementById("data").textContent);
  const charts = new Map(); // host element: function that draws it again, after the colour scheme changed
  const dashes = [[], [8, 4], [2, 3], [10, 3, 2, 3]];

  const colour = name => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  const digits = value => (value == null ? "–" : String(Number(value.toPrecision(7))));
  const element = (tag, text, attributes = {}) => {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    return made;
  };

  // ---- charts

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

  const drawn = (host, title, unit, series, name, level = "h4") => {
    const state = { log: false };
    const [rounds, ...curves] = aligned(series);
    host.replaceChildren(element(level, title));
    const bar = element("div", undefined, { class: "bar" });
    const log = element("input", undefined, { type: "checkbox" });
    const label = element("label");
    label.append(log, " logarithmic axes");
    const whole = element("button", "Show all rounds", { type: "button" });
    bar.append(label, whole);
    const place = element("div");
    host.append(bar, place, numbers(title, series, name));
    let plot;
    const make = () => {
      plot?.destroy();
      const positive = values => (state.log ? values.map(value => (value > 0 ? value : null)) : values);
      const axis = label => ({
        label, stroke: colour("muted"), labelSize: 26, font: "12px system-ui, sans-serif",
        labelFont: "12px system-ui, sans-serif", grid: { stroke: colour("hairline"), width: 1 },
        ticks: { stroke: colour("hairline"), width: 1 },
      });
      const up = { ...axis(unit), size: (_, values) => 22 + 7 * Math.max(3, ...(values || []).map(value => String(value ?? "").length)) };
      plot = new uPlot({
        width: Math.max(place.clientWidth, 260), height: innerWidth < 720 ? 280 : 360,
        scales: { x: { time: false, distr: state.log ? 3 : 1 }, y: { distr: state.log ? 3 : 1 } },
        axes: [axis("round"), up],
        cursor: { dataIdx: (chart, at, hovered) => (at === 0 ? hovered : nearest(chart.data[at], hovered)), focus: { prox: 24 } },
        focus: { alpha: 0.35 },
        legend: { markers: { dash: (_, at) => (series[at - 1]?.dash?.length ? "dashed" : "solid") } },
        series: [
          { label: "round", value: (_, round) => (round == null ? "–" : String(round)) },
          ...series.map(each => ({
            label: each.label, stroke: colour(each.colour), width: each.bold ? 2.4 : 1.8, dash: each.dash, spanGaps: true,
            points: { show: each.round.length === 1 }, show: each.show ?? true,
            value: (chart, value, at, index) => {
              if (value == null) return "–";
              const round = chart.data[0][index];
              return digits(value) + (round === chart.data[0][chart.legend.idxs?.[0]] ? "" : ` (round ${round})`);
            },
          })),
        ],
        hooks: {
          setSeries: [(chart, at, options) => {
            if (at == null || options.show == null) return;
            series[at - 1].show = options.show;
            chart.root.querySelectorAll(".u-series th")[at]?.setAttribute("aria-pressed", options.show);
          }],
        },
      }, [rounds, ...curves.map(positive)], place);
      plot.root.querySelectorAll(".u-series th").forEach((head, at) => {
        if (at === 0) return;
        for (const [key, value] of [["tabindex", 0], ["role", "button"], ["aria-pressed", series[at - 1].show ?? true]]) head.setAttribute(key, value);
        head.onkeydown = event => {
          if (event.key !== "Enter" && event.key !== " ") return;
          event.preventDefault();
          head.click();
        };
      });
      plot.over.setAttribute("aria-hidden", "true");
      const last = () => plot.setLegend({ idxs: [rounds, ...curves].map((values, at) => (at ? nearest(values, rounds.length - 1) : rounds.length - 1)) });
      plot.over.addEventListener("mouseleave", () => setTimeout(last)); // after uPlot has emptied the legend
      setTimeout(last); // after uPlot has drawn
      host.plot = plot;
    };
    log.onchange = () => { state.log = log.checked; make(); };
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

  const capital = text => text.charAt(0).toUpperCase() + text.slice(1);

  const matchChart = host => {
    const match = data.matches[host.dataset.match], chart = match.charts[Number(host.dataset.chart)];
    const series = [{ label: chart.quantity, round: chart.round, values: chart.measured, colour: "learner", bold: true }];
    if (chart.lower) series.push({ label: "lower end", round: chart.round, values: chart.lower, colour: "learner", dash: [3, 3] });
    chart.bounds.forEach((bound, at) => {
      const broken = bound.outcome === "violated" ? `, exceeded from round ${bound.broken}` : "";
      series.push({
        label: `${bound.theorem} allows${broken}`, round: chart.round, values: bound.allowed, colour: `bound-${(at % 4) + 1}`,
        dash: dashes[(at % 3) + 1],
      });
    });
    const title = `${capital(chart.quantity)}${chart.bounds.length ? " against what the theorems allow" : " over the rounds"}`;
    drawn(host, title, chart.quantity, series, `${match.learner} against ${match.setting}`);
  };

  const drawInside = details => {
    for (const host of details.querySelectorAll(".chart[data-match]")) if (!charts.has(host)) matchChart(host);
  };

  // ---- curves of many matches

  const joint = () => {
    const matches = data.joint.map(key => data.matches[key]);
    if (!matches.length) return;
    const kind = document.getElementById("joint-kind"), choice = document.getElementById("joint-choice");
    const styleOf = (names, name) => {
      const at = names.indexOf(name);
      return { colour: `line-${(at % 8) + 1}`, dash: dashes[Math.floor(at / 8) % 4] };
    };
    const draw = () => {
      const other = kind.value === "setting" ? "learner" : "setting";
      const chosen = matches.filter(match => match[kind.value] === choice.value);
      const order = data[`${other}s`];
      chosen.sort((one, two) => order.indexOf(one[other]) - order.indexOf(two[other]));
      const series = chosen.map(match => ({
        label: match[other], round: match.charts[0].round, values: match.charts[0].measured, ...styleOf(order, match[other]),
      }));
      const title = kind.value === "setting" ? `Regret of all learners against ${choice.value}` : `Regret of ${choice.value} against all adversaries`;
      drawn(document.getElementById("joint-chart"), title, "regret", series, "worst seed of each", "h3");
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

  // ---- tables

  const measure = () => document.querySelector("[name=measure]:checked").value;

  const valueOf = (row, at) => {
    const cell = row.cells[at];
    const text = cell.closest(".matrix") ? cell.dataset[measure()] : cell.dataset.value;
    if (text === undefined) return cell.textContent.trim();
    return text === "" ? Infinity : Number(text);
  };

  const compared = (one, two) => (typeof one === "number" && typeof two === "number" ? one - two || 0 : String(one).localeCompare(String(two)));

  const sortable = table => {
    table.querySelectorAll("th[data-sorts]").forEach((head, at) => {
      const button = element("button", head.textContent, { type: "button", title: "sort" });
      head.replaceChildren(button);
      button.onclick = () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        for (const each of table.querySelectorAll("th[aria-sort]")) each.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const body = table.tBodies[0];
        const rows = [...body.rows].sort((one, two) => compared(valueOf(one, at), valueOf(two, at)));
        body.append(...(down ? rows.reverse() : rows));
      };
    });
  };

  const filtered = input => {
    const rows = document.getElementById(input.dataset.filters).tBodies[0].rows;
    input.oninput = () => {
      const wanted = input.value.trim().toLowerCase();
      for (const row of rows) row.hidden = !row.querySelector("th").textContent.toLowerCase().includes(wanted);
    };
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
    details.addEventListener("toggle", () => details.open && drawInside(details));
    if (details.open) drawInside(details);
  }
  addEventListener("hashchange", follow);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => charts.forEach(draw => draw()));
  joint();
  follow();
})();
