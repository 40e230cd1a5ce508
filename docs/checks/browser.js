// Opens each page in frames of each width, in light and in dark colors, and tells the server what is wrong.
// GIVEN has the pages and the widths.

function channels(color) {
  const parts = color.match(/[\d.]+/g).map(Number);
  return { rgb: parts.slice(0, 3), alpha: parts.length > 3 ? parts[3] : 1 };
}

function luminance(rgb) {
  const [r, g, b] = rgb.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function over(front, alpha, back) {
  return front.map((value, k) => alpha * value + (1 - alpha) * back[k]);
}

// What is behind an element: the backgrounds of all that it lies in, one over the other.
function background(element, window) {
  const layers = [];
  for (let at = element; at; at = at.parentElement) {
    const color = channels(window.getComputedStyle(at).backgroundColor);
    layers.push(color);
    if (color.alpha === 1) break;
  }
  return layers.reverse().reduce((back, layer) => over(layer.rgb, layer.alpha, back), [255, 255, 255]);
}

function contrast(element, window) {
  const style = window.getComputedStyle(element);
  const back = background(element, window);
  const ink = channels(style.color);
  const [high, low] = [luminance(over(ink.rgb, ink.alpha, back)), luminance(back)].sort((a, b) => b - a);
  const size = parseFloat(style.fontSize);
  const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
  return { ratio: (high + 0.05) / (low + 0.05), wanted: large ? 3 : 4.5 };
}

function texts(document) {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || element.closest("script, style, noscript, option, math")) continue;
    if (element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })) found.push(element);
  }
  return [...new Set(found)];
}

function look(frame, where) {
  const window = frame.contentWindow;
  const document = frame.contentDocument;
  const problems = [];
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth)
    problems.push(`${where}: scrolls sideways, ${root.scrollWidth} pixels in ${root.clientWidth}`);
  for (const image of document.images) {
    const name = image.src.split("/").pop();
    if (!image.complete || !image.naturalWidth) problems.push(`${where}: ${name} was not loaded`);
    const decorates = image.closest(".sphx-glr-thumbcontainer");
    if (!image.hasAttribute("alt") || (!image.alt.trim() && !decorates))
      problems.push(`${where}: ${name} has no alternative text`);
  }
  const looked = texts(document);
  for (const element of looked) {
    const { ratio, wanted } = contrast(element, window);
    if (ratio < wanted - 0.005) {
      const text = element.textContent.trim().slice(0, 30);
      problems.push(`${where}: contrast ${ratio.toFixed(2)} of "${text}" (${element.tagName} ${element.className})`);
    }
  }
  return { problems, texts: looked.length };
}

async function open(page, width, mode) {
  const frame = document.createElement("iframe");
  frame.style = `width: ${width}px; height: 900px; border: 0`;
  const loaded = new Promise((resolve) => frame.addEventListener("load", resolve, { once: true }));
  frame.src = `/${page}`;
  document.body.append(frame);
  await loaded;
  for (const image of frame.contentDocument.images) image.loading = "eager";
  frame.contentDocument.documentElement.dataset.theme = mode;
  await new Promise((resolve) => setTimeout(resolve, 700));
  const found = look(frame, `${page}, ${width} pixels, ${mode}`);
  frame.remove();
  return found;
}

(async () => {
  const problems = [];
  let [frames, count] = [0, 0];
  try {
    for (const page of GIVEN.pages)
      for (const width of GIVEN.widths)
        for (const mode of ["light", "dark"]) {
          const found = await open(page, width, mode);
          problems.push(...found.problems);
          frames += 1;
          count += found.texts;
        }
  } catch (error) {
    problems.push(`the check failed: ${error}`);
  }
  await fetch("/", { method: "POST", body: JSON.stringify({ problems: [...new Set(problems)], frames, texts: count }) });
})();
