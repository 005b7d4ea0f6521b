// The colour of a severity: five anchors of the theme, from nothing to everything. The scale is
// bent (exponent below 1), because a loss of 5 % is what one looks for and must not look like none.

const BEND = 0.55;
let anchors = null;

/** Forgets the anchors, after the theme has changed. */
export function resetColours() {
  anchors = null;
}

function readAnchors() {
  const style = getComputedStyle(document.documentElement);
  return [0, 1, 2, 3, 4].map((index) => {
    const hex = style.getPropertyValue(`--s${index}`).trim().slice(1);
    return [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16));
  });
}

/** CSS colour of a share between 0 and 1 (its sign does not matter). */
export function colourOf(share) {
  anchors ??= readAnchors();
  const position = Math.min(Math.abs(share), 1) ** BEND * (anchors.length - 1);
  const index = Math.min(Math.floor(position), anchors.length - 2);
  const mix = (channel) => Math.round(anchors[index][channel]
    + (anchors[index + 1][channel] - anchors[index][channel]) * (position - index));
  return `rgb(${mix(0)} ${mix(1)} ${mix(2)})`;
}
