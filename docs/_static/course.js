"use strict";

// What scrolls can be scrolled with the keyboard, too.
function reachable() {
  const wide = "pre, .cell_output, .table-wrapper, .scrolls, div.math";
  for (const element of document.querySelectorAll(wide)) {
    if (element.scrollWidth > element.clientWidth) element.tabIndex = 0;
    else element.removeAttribute("tabindex");
  }
}

// A player takes its colours from the page around it, which may change them.
function inTheseColours() {
  for (const frame of document.querySelectorAll("iframe")) frame.contentWindow.fit?.();
}

addEventListener("load", () => {
  new ResizeObserver(reachable).observe(document.documentElement);
  new MutationObserver(inTheseColours).observe(document.body, {
    attributeFilter: ["data-theme"],
  });
});
