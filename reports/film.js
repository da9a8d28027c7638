// The film of a match in one or two dimensions: predictor, best function so far and slack over the box, round by round.

const unpacked = field => {
  const bytes = Uint8Array.from(atob(field.data), each => each.charCodeAt(0));
  const levels = field.bytes === 2 ? new Uint16Array(bytes.buffer) : bytes;
  const most = field.bytes === 2 ? 65535 : 255;
  const value = at => (levels[at] ? field.low + ((levels[at] - 1) / (most - 1)) * (field.high - field.low) : null);
  return { ...field, value };
};

const mixed = (one, other, share) => `color-mix(in srgb, ${one} ${(100 * (1 - share)).toFixed(1)}%, ${other})`;

// Colours are blended in the browser's own colour space, from three of the page's colours.
const channels = text => {
  const probe = document.createElement("canvas").getContext("2d");
  probe.fillStyle = text;
  probe.fillRect(0, 0, 1, 1);
  return [...probe.getImageData(0, 0, 1, 1).data].slice(0, 3);
};

const FIELDS = {
  predictor: ["The learner’s predictor", "What it would predict at each point, before this round"],
  comparator: ["Best function so far", "The penalised best in hindsight of all earlier rounds"],
  slack: ["Slack of the bound", "Allowed minus measured, if this round were played there with the worse of the labels ±B; below 0 the bound would break"],
  growth: ["What the adversary could gain", "By how much the regret would grow if this round were played there with the worse of the labels ±B"],
};

const filmOf = (host, match) => {
  const film = match.film, dimension = film.dimension, [low, high] = film.box;
  const fields = Object.fromEntries(Object.entries(film.fields).map(([name, field]) => [name, unpacked(field)]));
  const names = Object.keys(FIELDS).filter(name => fields[name]);
  const last = film.frames.length - 1;
  let at = 0, timer = 0;

  const level = host.dataset.level, below = `h${Number(level[1]) + 1}`;
  host.replaceChildren(element(level, "The match as a film"));
  host.append(element("p", "Step through the rounds with the buttons, the slider, or the arrow keys, Home, End and the space bar. Point at a picture to read its value.", { class: "paper" }));
  const stage = element("div", undefined, { class: "stage", tabindex: 0, role: "group", "aria-label": `Film of ${match.learner} against ${match.setting}` });
  const bar = element("div", undefined, { class: "bar" });
  const button = (sign, words, act) => {
    const made = element("button", sign, { type: "button", "aria-label": words, title: words });
    made.onclick = act;
    bar.append(made);
    return made;
  };
  button("first", "First round", () => go(0));
  button("◀ back", "One round back", () => go(at - 1));
  const player = button("play", "Play", () => play());
  button("next ▶", "Next round", () => go(at + 1));
  button("last", "Last round", () => go(last));
  const slider = element("input", undefined, { type: "range", min: 0, max: last, value: 0, "aria-label": "Round" });
  bar.append(slider);
  const story = element("p", undefined, { class: "story", role: "status" }), pictures = element("div", undefined, { class: `pictures of-${dimension}` });
  const pointed = element("p", "\u00a0", { class: "paper pointed" });
  stage.append(bar, story, pictures, pointed);
  host.append(stage);
  for (const note of film.notes) host.append(element("p", note, { class: "paper" }));

  const frameOf = field => {
    if (!field.frames) return at;
    let found = 0;
    while (found < field.frames.length - 1 && field.frames[found + 1] <= film.frames[at]) found++;
    return found;
  };
  const valueAt = (field, index) => field.value(frameOf(field) * field.grid ** dimension + index);

  const context = (canvas, wide, tall) => {
    const ratio = devicePixelRatio || 1;
    canvas.width = wide * ratio;
    canvas.height = tall * ratio;
    canvas.style.height = `${tall}px`;
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    pen.font = FONT;
    return pen;
  };
  const put = (pen, text, x, y, tone = "muted", align = "left") => {
    pen.textAlign = align;
    pen.lineWidth = 3;
    pen.setLineDash([]);
    pen.strokeStyle = colour("paper");
    pen.strokeText(text, x, y);
    pen.fillStyle = colour(tone);
    pen.fillText(text, x, y);
  };
  const short = value => String(Number(value.toPrecision(3)));
  const dot = (pen, x, y, radius, fill, edge, width = 1) => {
    pen.beginPath();
    pen.arc(x, y, radius, 0, 7);
    if (fill) { pen.fillStyle = fill; pen.fill(); }
    if (edge) { pen.setLineDash([]); pen.strokeStyle = edge; pen.lineWidth = width; pen.stroke(); }
  };

  // ---- one dimension: curves

  const MARGIN = { left: 46, right: 10, above: 26, below: 40 };
  const panel = (title, about, unit, tall, range, ticks, draw) => {
    const box = element("div", undefined, { class: "picture" }), canvas = element("canvas", undefined, { role: "img", "aria-label": `${title}. ${about}.` });
    box.append(element(below, title), element("p", about, { class: "paper" }), canvas);
    pictures.append(box);
    return () => {
      const wide = Math.max(canvas.clientWidth, 240), pen = context(canvas, wide, tall);
      const [bottom, top] = range();
      const x = value => MARGIN.left + ((value - low[0]) / (high[0] - low[0])) * (wide - MARGIN.left - MARGIN.right);
      const y = value => tall - MARGIN.below - ((Math.min(Math.max(value, bottom), top) - bottom) / (top - bottom)) * (tall - MARGIN.above - MARGIN.below);
      for (const value of ticks()) {
        if (value < bottom || value > top) continue;
        pen.strokeStyle = colour(value === 0 ? "muted" : "hairline");
        pen.lineWidth = value === 0 ? 0.8 : 1;
        pen.setLineDash([]);
        pen.beginPath();
        pen.moveTo(x(low[0]), y(value));
        pen.lineTo(x(high[0]), y(value));
        pen.stroke();
        put(pen, short(value), MARGIN.left - 6, y(value) + 4, "muted", "right");
      }
      for (const value of [low[0], (low[0] + high[0]) / 2, high[0]]) put(pen, short(value), x(value), tall - MARGIN.below + 17, "muted", value === high[0] ? "right" : value === low[0] ? "left" : "center");
      put(pen, `point x in the box`, wide - MARGIN.right, tall - 6, "muted", "right");
      put(pen, unit, 4, 11);
      draw(pen, x, y);
      canvas.onpointermove = event => {
        const share = (event.offsetX - MARGIN.left) / (wide - MARGIN.left - MARGIN.right);
        read([low[0] + Math.min(Math.max(share, 0), 1) * (high[0] - low[0])]);
      };
      canvas.onpointerleave = () => (pointed.textContent = "\u00a0");
    };
  };
  const curve = (pen, x, y, name, tone, dash, width) => {
    const field = fields[name];
    if (!field) return;
    pen.strokeStyle = colour(tone);
    pen.lineWidth = width;
    pen.setLineDash(dash);
    pen.beginPath();
    let open = false;
    for (let index = 0; index < field.grid; index++) {
      const value = valueAt(field, index);
      if (value == null) { open = false; continue; }
      const across = x(low[0] + (index / (field.grid - 1)) * (high[0] - low[0])), up = y(value);
      if (open) pen.lineTo(across, up); else pen.moveTo(across, up);
      open = true;
    }
    pen.stroke();
  };
  const upright = (pen, x, y, range) => {
    const here = x(film.points[film.frames[at] - 1][0]);
    pen.strokeStyle = colour("text");
    pen.lineWidth = 1;
    pen.setLineDash([3, 3]);
    pen.beginPath();
    pen.moveTo(here, y(range[0]));
    pen.lineTo(here, y(range[1]));
    pen.stroke();
  };
  const reach = Math.max(...["predictor", "comparator"].filter(name => fields[name]).map(name => fields[name].high), film.label_bound) * 1.08;
  const third = fields.slack ? "slack" : fields.growth ? "growth" : "";
  const legend = entries => {
    const list = element("ul", undefined, { class: "legend" });
    for (const [sign, tone, text] of entries) {
      const entry = element("li"), mark = element("span", sign, { "aria-hidden": "true" });
      mark.style.color = colour(tone);
      mark.dataset.tone = tone;
      entry.append(mark, text);
      list.append(entry);
    }
    return list;
  };

  const painters = [];
  if (dimension === 1) {
    painters.push(panel("Predictor, best function so far, and moves", "Earlier labels are dots, this round’s label a ring", "prediction, label", innerWidth < 720 ? 260 : 320, () => [-reach, reach], () => [-film.label_bound, 0, film.label_bound], (pen, x, y) => {
      const round = film.frames[at];
      for (let before = 0; before < round - 1; before++) dot(pen, x(film.points[before][0]), y(film.labels[before]), 2.5, mixed(colour("label"), colour("paper"), Math.max(0, 0.75 - 6 / (round - before + 5))));
      upright(pen, x, y, [-reach, reach]);
      curve(pen, x, y, "comparator", "hindsight", [7, 4], 2);
      curve(pen, x, y, "predictor", "learner", [], 2.4);
      const here = x(film.points[round - 1][0]);
      dot(pen, here, y(film.labels[round - 1]), 5.5, "", colour("label"), 2.5);
      dot(pen, here, y(film.predictions[round - 1]), 4.5, colour("learner"), colour("paper"), 1.5);
    }));
    pictures.firstChild.insertBefore(legend([["—", "learner", "the learner’s predictor"], ["- -", "hindsight", "best function so far"], ["●", "learner", "its prediction"], ["○", "label", "this round’s label"], ["•", "label", "earlier labels"]]), pictures.querySelector("canvas"));
    if (third) painters.push(panel(FIELDS[third][0] + (third === "slack" ? `: ${film.theorem}` : ""), FIELDS[third][1], third === "slack" ? "slack" : "regret", innerWidth < 720 ? 190 : 220, () => [Math.min(fields[third].low, 0), fields[third].high * 1.05], () => [fields[third].low, 0, fields[third].high].filter((value, at, all) => at === 1 || Math.abs(value) > 0.08 * fields[third].high), (pen, x, y) => {
      upright(pen, x, y, [Math.min(fields[third].low, 0), fields[third].high]);
      curve(pen, x, y, third, third === "slack" ? "bound-3" : "bad", [], 2.2);
    }));
  }

  // ---- two dimensions: maps

  const ramp = (name, bottom, top) => {
    const paper = channels(colour("paper"));
    if (name === "slack") { // a slack below 0 is a violation
      const bad = channels(colour("bad")), good = channels(colour("hindsight"));
      return share => (bottom + share * (top - bottom) < 0 ? bad : paper.map((each, part) => each + (good[part] - each) * (0.1 + 0.8 * share)));
    }
    if (name === "growth") { const bad = channels(colour("bad")); return share => paper.map((each, part) => each + (bad[part] - each) * share * 0.85); }
    const under = channels(colour("sign-0")), over = channels(colour("sign-4"));
    return share => paper.map((each, part) => each + ((share < 0.5 ? under : over)[part] - each) * Math.abs(2 * share - 1) * 0.9);
  };
  const map = name => {
    const field = fields[name], [title, about] = FIELDS[name];
    const full = title + (name === "slack" ? `: ${film.theorem}` : "");
    const box = element("div", undefined, { class: "picture" }), canvas = element("canvas", undefined, { role: "img", "aria-label": `${full}. ${about}.` });
    const scale = element("canvas", undefined, { class: "scale", "aria-hidden": "true" });
    const ends = element("p", undefined, { class: "ends" });
    box.append(element(below, full), element("p", about, { class: "paper" }), canvas, scale, ends);
    pictures.append(box);
    return () => {
      const seen = name === "slack" ? Array.from({ length: field.grid ** 2 }, (_, index) => valueAt(field, index)).filter(value => value != null) : [];
      const bottom = seen.length ? Math.min(...seen) : field.low, top = seen.length ? Math.max(...seen) : field.high;
      const zero = bottom < 0 && top > 0;
      ends.replaceChildren(...[short(bottom), zero ? "0" : "", short(top)].map(text => element("span", text)));
      if (zero) ends.children[1].style.left = `${(100 * -bottom) / (top - bottom)}%`;
      const shade = ramp(name, bottom, top), side = Math.max(canvas.clientWidth, 150), pen = context(canvas, side, side);
      const image = new ImageData(field.grid, field.grid);
      for (let index = 0; index < field.grid ** 2; index++) {
        const value = valueAt(field, index), row = field.grid - 1 - Math.floor(index / field.grid);
        const shown = value == null ? channels(colour("muted")) : shade(Math.min(Math.max((value - bottom) / (top - bottom || 1), 0), 1));
        image.data.set([...shown.map(Math.round), 255], 4 * (row * field.grid + (index % field.grid)));
      }
      const small = document.createElement("canvas");
      small.width = small.height = field.grid;
      small.getContext("2d").putImageData(image, 0, 0);
      pen.imageSmoothingEnabled = true;
      const cell = side / (field.grid - 1); // grid points lie on the edges of the box, so half a cell is cut off
      pen.drawImage(small, -cell / 2, -cell / 2, side + cell, side + cell);
      const x = point => ((point[0] - low[0]) / (high[0] - low[0])) * side;
      const y = point => side - ((point[1] - low[1]) / (high[1] - low[1])) * side;
      const round = film.frames[at], largest = Math.max(...film.labels.map(Math.abs)) || 1;
      if (name !== "slack" && name !== "growth") {
        for (let before = 0; before < round - 1; before++) {
          dot(pen, x(film.points[before]), y(film.points[before]), 3, colour(film.labels[before] < 0 ? "sign-0" : "sign-4"), colour("paper"), 1);
        }
      }
      const here = film.points[round - 1];
      dot(pen, x(here), y(here), 7, "", colour("paper"), 4);
      dot(pen, x(here), y(here), 7, colour(film.labels[round - 1] < 0 ? "sign-0" : "sign-4"), colour("text"), 2);
      put(pen, film.features ? film.features[0] : "first coordinate", side / 2, side - 4, "muted", "center");
      pen.save();
      pen.translate(13, side / 2);
      pen.rotate(-Math.PI / 2);
      put(pen, film.features ? film.features[1] : "second coordinate", 0, 0, "muted", "center");
      pen.restore();
      put(pen, short(high[1]), 3, 13);
      put(pen, `(${short(low[0])}, ${short(low[1])})`, 3, side - 4);
      put(pen, short(high[0]), side - 3, side - 4, "muted", "right");
      const strip = scale.getContext("2d");
      scale.width = 128;
      scale.height = 1;
      for (let step = 0; step < 128; step++) {
        strip.fillStyle = `rgb(${shade(step / 127).map(Math.round).join(" ")})`;
        strip.fillRect(step, 0, 1, 1);
      }
      canvas.onpointermove = event => read([low[0] + (event.offsetX / side) * (high[0] - low[0]), high[1] - (event.offsetY / side) * (high[1] - low[1])]);
      canvas.onpointerleave = () => (pointed.textContent = "\u00a0");
    };
  };
  if (dimension === 2) {
    painters.push(...names.map(map));
    stage.insertBefore(legend([["●", "sign-4", "point with a positive label"], ["●", "sign-0", "point with a negative label"], ["◉", "text", "this round’s point"]]), pictures);
  }

  const read = place => {
    const words = names.map(name => {
      const field = fields[name];
      const steps = place.map((value, part) => Math.min(Math.max(Math.round(((value - low[part]) / (high[part] - low[part])) * (field.grid - 1)), 0), field.grid - 1));
      const value = valueAt(field, steps.length === 1 ? steps[0] : steps[1] * field.grid + steps[0]);
      return `${FIELDS[name][0].toLowerCase()} ${value == null ? "unknown" : short(value)}`;
    });
    pointed.textContent = `Near (${place.map(short).join(", ")}): ${words.join(", ")}.`;
  };

  const tell = () => {
    const round = film.frames[at], index = round - 1;
    const words = [`Round ${round} of ${film.rounds}: at (${film.points[index].map(digits).join(", ")}) the learner predicts ${digits(film.predictions[index])}, the label is ${digits(film.labels[index])}, the loss ${digits(film.losses[index])}.`];
    if (film.regret) words.push(`The regret is ${digits(film.regret[index])}${film.allowed ? `, where ${film.theorem} allows ${digits(film.allowed[index])}` : ""}.`);
    const held = fields.slack?.frames && fields.slack.frames[frameOf(fields.slack)] !== round;
    if (held) words.push(`The slack drawn is that of round ${fields.slack.frames[frameOf(fields.slack)]}.`);
    story.textContent = words.join(" ");
    slider.value = at;
    slider.setAttribute("aria-valuetext", `round ${round}`);
  };
  const paint = () => {
    for (const mark of host.querySelectorAll("[data-tone]")) mark.style.color = colour(mark.dataset.tone);
    for (const painter of painters) painter();
    tell();
  };
  const go = to => {
    at = Math.min(Math.max(to, 0), last);
    paint();
  };
  const stop = () => {
    clearInterval(timer);
    timer = 0;
    player.textContent = "play";
    player.setAttribute("aria-label", "Play");
  };
  const play = () => {
    if (timer) return stop();
    if (at === last) go(0);
    player.textContent = "pause";
    player.setAttribute("aria-label", "Pause");
    timer = setInterval(() => (at < last ? go(at + 1) : stop()), 250);
  };
  slider.oninput = () => go(Number(slider.value));
  const KEYS = { ArrowRight: () => go(at + 1), ArrowLeft: () => go(at - 1), Home: () => go(0), End: () => go(last), " ": play };
  stage.onkeydown = event => {
    if (event.target !== stage || !KEYS[event.key]) return;
    event.preventDefault();
    KEYS[event.key]();
  };
  go(last);
  new ResizeObserver(paint).observe(pictures);
  charts.set(host, paint);
};
