/* What the theme makes while a page is shown, made usable without a mouse: wide tables can be scrolled with the keys,
   and each navigation of a block of code has a name of its own. */
const mend = () => {
  document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])").forEach((each) => { each.tabIndex = 0; });
  document.querySelectorAll("nav.md-code__nav").forEach((each, place) => {
    const name = `Block of code ${place + 1}`;
    if (each.getAttribute("aria-label") !== name) each.setAttribute("aria-label", name);
  });
};
new MutationObserver(mend).observe(document.body, { childList: true, subtree: true });
mend();
