// Draws `figures`: a specification by its name, or the panels of one with their common legend. Colours of text and
// lines follow the page, light or dark, and change with it.
const darkPage = window.matchMedia("(prefers-color-scheme: dark)");
const inkOf = dark => dark
  ? { text: "#d6dde4", soft: "#a5b0bb", grid: "#2c343d", line: "#5b6570", page: "#12161b" }
  : { text: "#1b1f24", soft: "#57606a", grid: "#e3e7eb", line: "#8c959f", page: "#ffffff" };

function themed(spec) {
  const ink = inkOf(darkPage.matches);
  let text = JSON.stringify(spec);
  if (darkPage.matches) {
    // Black and white are colours of the page, whatever else they stand for.
    text = text.replaceAll('"#000000"', '"#e8edf2"').replaceAll('"white"', `"${ink.page}"`);
  }
  const copy = JSON.parse(text);
  copy.background = "transparent";
  const config = copy.config ?? {};
  copy.config = {
    ...config,
    axis: { ...config.axis, labelColor: ink.soft, titleColor: ink.text, gridColor: ink.grid, domainColor: ink.line,
      tickColor: ink.line, titleFontWeight: "normal" },
    legend: { ...config.legend, labelColor: ink.soft, titleColor: ink.text },
    title: { ...config.title, color: ink.text },
    view: { ...config.view, stroke: ink.grid },
  };
  return copy;
}

function legendOf(entries) {
  const list = document.createElement("ul");
  list.className = "legend";
  for (const [label, colour] of entries) {
    const item = list.appendChild(document.createElement("li"));
    const swatch = item.appendChild(document.createElement("span"));
    swatch.style.background = colour === "#000000" ? "var(--ink)" : colour;
    item.append(label);
  }
  return list;
}

function drawFigure(place, figure) {
  const options = { actions: { export: true, source: false, compiled: false, editor: false }, renderer: "svg" };
  const panels = figure.panels ?? [figure];
  place.replaceChildren();
  delete place.dataset.drawn;
  if (figure.legend?.length > 1) place.append(legendOf(figure.legend));
  const grid = place.appendChild(document.createElement("div"));
  grid.className = figure.panels ? "panels" : "whole";
  return Promise.all(panels.map(panel => {
    const cell = grid.appendChild(document.createElement("div"));
    cell.className = panel.usermeta?.half ? "panel half" : "panel";
    if (figure.panels) {
      const title = cell.appendChild(document.createElement("div"));
      title.className = "panel-title";
      title.textContent = panel.usermeta?.title ?? "";
    }
    if (panel.usermeta?.alike) {
      const said = cell.appendChild(document.createElement("p"));
      said.className = "alike";
      said.textContent = panel.usermeta.alike;
      return Promise.resolve();
    }
    return vegaEmbed(cell.appendChild(document.createElement("div")), themed(panel), options);
  }))
    .then(() => { place.dataset.drawn = "yes"; })
    .catch(error => { place.textContent = "This figure cannot be drawn: " + error; });
}

function drawFigures(figures) {
  const draw = () => {
    for (const [name, figure] of Object.entries(figures)) drawFigure(document.getElementById(name), figure);
  };
  darkPage.addEventListener("change", draw);
  draw();
}
