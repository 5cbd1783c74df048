"use strict";
const { planes, perPlane, perChannel, perDie, pages, times, changes, jobs } = data;
const blocks = planes * perPlane;
const find = id => document.getElementById(id);
const [grid, shares, slider, play, speed] = ["blocks", "shares", "at", "play", "speed"].map(find);
const state = new Uint8Array(blocks), written = new Uint32Array(blocks), valid = new Uint32Array(blocks);
const CLOSED = 4;
let shown = -1, timer = 0, cell = 8, across = 1, tile = [1, 1], pointed = -1;

// What was valid, invalid and erased at every moment: summed once.
const sums = [];
function apply(moment) {
  const list = changes[moment];
  for (let i = 0; i < list.length; i += 4) {
    const block = list[i];
    state[block] = list[i + 1]; written[block] = list[i + 2]; valid[block] = list[i + 3];
  }
}
function reset() { state.fill(0); written.fill(0); valid.fill(0); shown = -1; }
for (let moment = 0; moment < times.length; moment++) {
  apply(moment);
  let taken = 0, good = 0, free = 0;
  for (let block = 0; block < blocks; block++) { taken += written[block]; good += valid[block]; free += state[block] === 0; }
  sums.push([good, taken - good, free]);
}
reset();

function goTo(moment) {
  if (moment < shown) reset();
  while (shown < moment) apply(++shown);
}
// Blocks of jobs that were under way between the moment before and this one.
function collected(moment) {
  const from = moment ? times[moment - 1] : times[0], to = times[moment], found = new Set();
  for (let i = 0; i < jobs.length; i += 3) if (jobs[i] <= to && jobs[i + 1] > from) found.add(jobs[i + 2]);
  for (let block = 0; block < blocks; block++) if (state[block] === CLOSED) found.add(block);
  return found;
}
const colour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
function sharp(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio); canvas.height = Math.round(height * ratio);
  canvas.style.height = height + "px";
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}
// The largest squares with which all planes fit on a screen, and no smaller ones than can be seen.
function layOut() {
  const width = grid.parentElement.clientWidth - parseFloat(getComputedStyle(grid.parentElement).paddingLeft) * 2;
  const columns = Math.ceil(Math.sqrt(perPlane));
  const rows = Math.ceil(perPlane / columns);
  for (cell = 16; cell > 4; cell--) {
    across = Math.max(1, Math.floor(width / (columns * cell + 10)));
    if (columns * cell <= width && Math.ceil(planes / across) * (rows * cell + 10) <= Math.max(420, innerHeight * 0.6)) break;
  }
  cell = Math.min(cell, Math.max(2, Math.floor((width - 10) / columns)));
  across = Math.max(1, Math.min(planes, Math.floor(width / (columns * cell + 10))));
  tile = [columns, rows];
  return [width, Math.ceil(planes / across) * (rows * cell + 10)];
}
function place(block) {
  const plane = Math.floor(block / perPlane), own = block % perPlane;
  return [(plane % across) * (tile[0] * cell + 10) + (own % tile[0]) * cell,
    Math.floor(plane / across) * (tile[1] * cell + 10) + Math.floor(own / tile[0]) * cell];
}
function draw() {
  goTo(+slider.value);
  const context = sharp(grid, ...layOut());
  const size = Math.max(1, cell - 1);
  const [empty, invalid, good, mark] = ["--empty", "--invalid", "--valid", "--mark"].map(colour);
  for (let block = 0; block < blocks; block++) {
    const [x, y] = place(block);
    context.fillStyle = empty; context.fillRect(x, y, size, size);
    const full = size * written[block] / pages, kept = size * valid[block] / pages;
    if (full) { context.fillStyle = invalid; context.fillRect(x, y + size - full, size, full); }
    if (kept) { context.fillStyle = good; context.fillRect(x, y + size - kept, size, kept); }
  }
  const busy = collected(shown);
  context.strokeStyle = mark; context.lineWidth = cell > 6 ? 2 : 1.5;
  for (const block of busy) { const [x, y] = place(block); context.strokeRect(x - 0.5, y - 0.5, size + 1, size + 1); }
  const [keep, waste, free] = sums[shown], all = blocks * pages, percent = part => (100 * part / all).toFixed(1) + " %";
  find("now").textContent = `${(times[shown] / 1e9).toFixed(3)} s: ${percent(keep)} of all pages valid, ${percent(waste)} invalid; `
    + `${free} of ${blocks} blocks free; ${busy.size} collected since the moment before`;
  slider.setAttribute("aria-valuetext", find("now").textContent);
  drawShares();
  tell();
}
function drawShares() {
  const width = shares.parentElement.clientWidth - parseFloat(getComputedStyle(shares.parentElement).paddingLeft) * 2, height = 70;
  const context = sharp(shares, width, height), all = blocks * pages;
  const span = times[times.length - 1] - times[0] || 1, x = moment => (times[moment] - times[0]) / span * width;
  context.fillStyle = colour("--empty"); context.fillRect(0, 0, width, height);
  for (const [name, parts] of [["--invalid", [0, 1]], ["--valid", [0]]]) {
    context.fillStyle = colour(name);
    for (let moment = 0; moment < times.length; moment++) {
      const part = parts.reduce((sum, each) => sum + sums[moment][each], 0) / all * height;
      const next = moment + 1 < times.length ? x(moment + 1) : width;
      context.fillRect(x(moment), height - part, Math.max(1, next - x(moment) + 0.5), part);
    }
  }
  context.fillStyle = colour("--mark"); context.fillRect(Math.min(width - 2, x(shown)), 0, 2, height);
}
function tell() {
  if (pointed < 0) return;
  const plane = Math.floor(pointed / perPlane);
  find("block").textContent = `Block ${pointed} (channel ${Math.floor(plane / perChannel)}, die ${Math.floor(plane / perDie)}, plane ${plane}): `
    + `${valid[pointed]} valid, ${written[pointed] - valid[pointed]} invalid, ${pages - written[pointed]} erased pages of ${pages}`;
}
function stop() { clearInterval(timer); timer = 0; play.textContent = "Play"; }
function start() {
  if (+slider.value === times.length - 1) slider.value = 0;
  play.textContent = "Pause";
  timer = setInterval(() => {
    if (+slider.value === times.length - 1) { stop(); return; }
    slider.value = +slider.value + 1; draw();
  }, 1000 / speed.value);
}
play.addEventListener("click", () => (timer ? stop() : start()));
speed.addEventListener("change", () => { if (timer) { stop(); start(); } });
slider.addEventListener("input", draw);
grid.addEventListener("pointermove", event => {
  const column = Math.floor(event.offsetX / (tile[0] * cell + 10)), row = Math.floor(event.offsetY / (tile[1] * cell + 10));
  const inside = [event.offsetX - column * (tile[0] * cell + 10), event.offsetY - row * (tile[1] * cell + 10)].map(each => Math.floor(each / cell));
  const own = inside[1] * tile[0] + inside[0], plane = row * across + column;
  if (column < across && plane < planes && inside[0] < tile[0] && inside[1] < tile[1] && own < perPlane) { pointed = plane * perPlane + own; tell(); }
});
shares.addEventListener("click", event => {
  const wanted = times[0] + event.offsetX / shares.clientWidth * (times[times.length - 1] - times[0]);
  const moment = times.findIndex(each => each >= wanted);
  slider.value = moment < 0 ? times.length - 1 : moment; draw();
});
document.addEventListener("keydown", event => {
  if (event.target.tagName === "SELECT" || event.target === slider) return;
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (step) { slider.value = +slider.value + step; draw(); }
  if (event.key === " " && event.target.tagName !== "BUTTON") { event.preventDefault(); play.click(); }
});
addEventListener("resize", draw);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
draw();
