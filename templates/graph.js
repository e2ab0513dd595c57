"use strict";
// Draws the graph of the page: forces on a canvas, until they come to rest. Text goes to the page as text only.
(() => {
  const COLOURS = {
    skill: "#2f9e6e", fact: "#3b7dd8", failure: "#d64550", strategy: "#8a5fd0", preference: "#e08a1e",
    heuristic: "#0fa3a3", trace: "#9a8f80", raw: "#b5b5b5",
  };
  const QUIET = new Set(["same-session"]);
  const LENGTH = 60, REACH = 180, REPULSION = 900;
  const graph = JSON.parse(document.getElementById("graph").textContent);
  const canvas = document.getElementById("canvas"), pen = canvas.getContext("2d");
  const said = document.getElementById("said"), search = document.getElementById("search");
  const view = { x: 0, y: 0, scale: 1 };
  const hidden = new Set();
  const byId = new Map();
  let heat = 1, hovered = null, held = null, moved = false, words = "", drawing = false;

  graph.nodes.forEach((node, n) => {
    const angle = n * 2.399963, radius = 14 * Math.sqrt(n); // a sunflower: the same picture each time
    Object.assign(node, { x: radius * Math.cos(angle), y: radius * Math.sin(angle), vx: 0, vy: 0, degree: 0 });
    byId.set(node.id, node);
  });
  const edges = graph.edges.map((e) => ({ kind: e.kind, from: byId.get(e.source), to: byId.get(e.target) }));
  edges.forEach((e) => { e.from.degree++; e.to.degree++; });

  const shown = (node) => !hidden.has("type:" + node.type);
  const drawn = (edge) => !hidden.has("kind:" + edge.kind) && shown(edge.from) && shown(edge.to);
  const size = (node) => Math.min(14, 4 + Math.sqrt(node.degree));
  const found = (node) => !words || (node.title + " " + node.id).toLowerCase().includes(words);

  function push(a, b) {
    const dx = a.x - b.x || 0.1, dy = a.y - b.y || 0.1, far = dx * dx + dy * dy;
    if (far > REACH * REACH) return;
    const force = (REPULSION * heat) / Math.max(far, 40), length = Math.sqrt(far);
    a.vx += (dx / length) * force; a.vy += (dy / length) * force;
    b.vx -= (dx / length) * force; b.vy -= (dy / length) * force;
  }

  function repel(nodes) { // only what lies in the same or the next cell pushes
    const cells = new Map();
    for (const node of nodes) {
      const key = Math.floor(node.x / REACH) + " " + Math.floor(node.y / REACH);
      if (!cells.has(key)) cells.set(key, []);
      cells.get(key).push(node);
    }
    for (const [key, mine] of cells) {
      const [column, row] = key.split(" ").map(Number);
      mine.forEach((a, n) => { for (let m = n + 1; m < mine.length; m++) push(a, mine[m]); });
      for (const [right, down] of [[1, 0], [0, 1], [1, 1], [1, -1]]) {
        for (const b of cells.get((column + right) + " " + (row + down)) || []) for (const a of mine) push(a, b);
      }
    }
  }

  function step() {
    const nodes = graph.nodes.filter(shown);
    repel(nodes);
    for (const { from, to } of edges.filter(drawn)) {
      const dx = to.x - from.x, dy = to.y - from.y, length = Math.sqrt(dx * dx + dy * dy) || 1;
      const force = ((length - LENGTH) / length) * 0.06 * heat;
      from.vx += dx * force; from.vy += dy * force;
      to.vx -= dx * force; to.vy -= dy * force;
    }
    for (const node of nodes) {
      node.vx -= node.x * 0.004 * heat; node.vy -= node.y * 0.004 * heat;
      if (node !== held) { node.x += Math.max(-20, Math.min(20, node.vx)); node.y += Math.max(-20, Math.min(20, node.vy)); }
      node.vx *= 0.6; node.vy *= 0.6;
    }
    heat *= 0.985;
  }

  function draw() {
    const dots = window.devicePixelRatio || 1, ink = getComputedStyle(document.body).color;
    if (canvas.width !== innerWidth * dots || canvas.height !== innerHeight * dots) {
      canvas.width = innerWidth * dots; canvas.height = innerHeight * dots;
    }
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    const scale = view.scale * dots;
    pen.setTransform(scale, 0, 0, scale, canvas.width / 2 + view.x * dots, canvas.height / 2 + view.y * dots);
    pen.strokeStyle = ink;
    for (const edge of edges.filter(drawn)) {
      const near = edge.from === hovered || edge.to === hovered;
      pen.globalAlpha = near ? 0.9 : 0.22;
      pen.lineWidth = (edge.kind === "supersedes" || edge.kind === "contradicts" ? 2 : 1) / view.scale;
      pen.setLineDash(edge.kind === "source" || edge.kind === "same-session" ? [3, 3] : []);
      pen.beginPath(); pen.moveTo(edge.from.x, edge.from.y); pen.lineTo(edge.to.x, edge.to.y); pen.stroke();
    }
    pen.setLineDash([]);
    pen.font = 12 / view.scale + "px system-ui, sans-serif";
    for (const node of graph.nodes.filter(shown)) {
      pen.globalAlpha = found(node) ? 1 : 0.15;
      pen.fillStyle = COLOURS[node.type] || "#888";
      pen.beginPath(); pen.arc(node.x, node.y, size(node), 0, 7); pen.fill();
      if (node === hovered || (words && found(node)) || view.scale > 1.6) {
        pen.fillStyle = ink;
        pen.fillText(node.title.length > 60 ? node.title.slice(0, 59) + "…" : node.title, node.x + size(node) + 3, node.y + 4);
      }
    }
  }

  function tick() {
    if (heat > 0.02) step();
    draw();
    drawing = heat > 0.02;
    if (drawing) requestAnimationFrame(tick);
  }
  const again = (warm) => { heat = Math.max(heat, warm); if (!drawing) { drawing = true; requestAnimationFrame(tick); } };

  function at(event) {
    const x = (event.clientX - innerWidth / 2 - view.x) / view.scale;
    const y = (event.clientY - innerHeight / 2 - view.y) / view.scale;
    const near = (node) => Math.hypot(node.x - x, node.y - y);
    const hit = graph.nodes.filter((node) => shown(node) && near(node) < size(node) + 4 / view.scale);
    return { x, y, node: hit.sort((a, b) => near(a) - near(b))[0] || null };
  }

  let last = null;
  canvas.addEventListener("pointerdown", (event) => {
    last = { x: event.clientX, y: event.clientY }; moved = false; held = at(event).node;
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const spot = at(event);
    if (last) {
      moved = moved || Math.hypot(event.clientX - last.x, event.clientY - last.y) > 3;
      if (held && moved) { held.x = spot.x; held.y = spot.y; again(0.3); return; }
      if (!held) { view.x += event.clientX - last.x; view.y += event.clientY - last.y; last = { x: event.clientX, y: event.clientY }; }
    }
    hovered = spot.node;
    canvas.style.cursor = hovered ? "pointer" : "grab";
    said.textContent = hovered ? hovered.title + " (" + [hovered.type, hovered.state].filter(Boolean).join(", ") + ")" : "";
    again(0);
  });
  canvas.addEventListener("pointerup", () => {
    if (held && !moved && held.path) window.open(held.path.split("/").map(encodeURIComponent).join("/"), "_blank", "noopener");
    held = last = null;
  });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const by = Math.exp(-event.deltaY * 0.001), next = Math.min(8, Math.max(0.05, view.scale * by)), real = next / view.scale;
    const x = event.clientX - innerWidth / 2, y = event.clientY - innerHeight / 2;
    view.x = x - (x - view.x) * real; view.y = y - (y - view.y) * real; view.scale = next;
    again(0);
  }, { passive: false });
  search.addEventListener("input", () => {
    words = search.value.trim().toLowerCase();
    said.textContent = words ? graph.nodes.filter((node) => shown(node) && found(node)).length + " found" : "";
    again(0);
  });
  addEventListener("resize", () => again(0));

  function choice(list, key, name, colour) {
    const label = document.createElement("label"), box = document.createElement("input");
    box.type = "checkbox"; box.checked = !hidden.has(key);
    box.addEventListener("change", () => { box.checked ? hidden.delete(key) : hidden.add(key); again(0.5); });
    label.append(box, " ");
    if (colour) { const dot = document.createElement("i"); dot.style.background = colour; label.append(dot); }
    label.append(name);
    list.append(label);
  }
  const every = (values) => [...new Set(values)].sort();
  for (const type of every(graph.nodes.map((node) => node.type))) {
    choice(document.getElementById("types"), "type:" + type, type, COLOURS[type] || "#888");
  }
  for (const kind of every(edges.map((edge) => edge.kind))) {
    if (QUIET.has(kind)) hidden.add("kind:" + kind);
    choice(document.getElementById("kinds"), "kind:" + kind, kind, "");
  }
  again(1);
})();
