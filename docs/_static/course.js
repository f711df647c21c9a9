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

// --- which lessons are done: kept in this browser alone

const DONE = "lessons that are done";
const STEP = /step(\d\d)\.html$/;

function done() {
  try {
    return new Set(JSON.parse(localStorage.getItem(DONE)) ?? []);
  } catch {
    return new Set(); // a browser that keeps nothing, or something else under this name
  }
}

function showDone() {
  const steps = done();
  for (const link of document.querySelectorAll(".sidebar-tree a, .course-stages a")) {
    const step = STEP.exec(link.getAttribute("href"));
    // The page that is open is linked by "#".
    const here = link.matches(".current-page > a") ? thisStep() : undefined;
    link.classList.toggle("done", steps.has(step ? step[1] : here));
  }
  const button = document.querySelector(".done-button");
  button?.setAttribute("aria-pressed", steps.has(thisStep()));
}

function thisStep() {
  return STEP.exec(location.pathname)?.[1];
}

function addButton() {
  if (!thisStep()) return;
  const button = document.createElement("button");
  button.className = "done-button";
  button.textContent = "This lesson is done";
  button.onclick = () => {
    const steps = done();
    steps.delete(thisStep()) || steps.add(thisStep());
    localStorage.setItem(DONE, JSON.stringify([...steps]));
    showDone();
  };
  document.querySelector("article").append(button);
}

// --- moving on

function turn(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
  // What scrolls sideways, and what is typed into, has these keys for itself.
  if (event.target.closest("input, textarea, select, [tabindex]")) return;
  const rel = { ArrowLeft: "prev", ArrowRight: "next" }[event.key];
  const link = rel && document.querySelector(`link[rel=${rel}]`);
  if (link) location = link.href;
}

function showWhereWeAre() {
  const here = document.querySelector(".sidebar-tree .current-page");
  const around = here?.closest(".sidebar-scroll");
  if (around) around.scrollTop = here.offsetTop - around.clientHeight / 2;
}

// The player of the front page begins by itself, but for those who want no motion.
function begin() {
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const frame = document.querySelector(".ways ~ iframe, .ways ~ * iframe");
  if (!frame || thisStep() || still) return;
  // Without waiting for the pictures below it; but its own page has to be there.
  const button = () => frame.contentDocument?.getElementById("play");
  if (button() && frame.contentDocument.readyState === "complete") button().click();
  else frame.addEventListener("load", () => button()?.click(), { once: true });
}

addEventListener("DOMContentLoaded", () => {
  addButton();
  showDone();
  showWhereWeAre();
  begin();
});
addEventListener("keydown", turn);
// Folded code is printed, too, and a player's last step.
addEventListener("beforeprint", () => {
  for (const fold of document.querySelectorAll("details")) fold.open = true;
  for (const frame of document.querySelectorAll("iframe")) {
    const slider = frame.contentDocument?.getElementById("slider");
    if (!slider) continue;
    slider.value = slider.max;
    slider.dispatchEvent(new Event("input"));
  }
});
addEventListener("load", () => {
  new ResizeObserver(reachable).observe(document.documentElement);
  new MutationObserver(inTheseColours).observe(document.body, {
    attributeFilter: ["data-theme"],
  });
});
