// Tables that are sorted and filtered.

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
