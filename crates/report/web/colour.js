// The colour of a severity: five anchors of the theme, from nothing to everything, and mixtures of
// neighbours between them. The scale is bent (exponent below 1), because a loss of 5 % is what one
// looks for and must not look like none.

const BEND = 0.55;
const ANCHORS = 5;

/** CSS colour of a share between 0 and 1 (its sign does not matter). @param {number} share */
export function colourOf(share) {
  const position = Math.min(Math.abs(share), 1) ** BEND * (ANCHORS - 1);
  const below = Math.min(Math.floor(position), ANCHORS - 2);
  const percent = Math.round((position - below) * 100);
  return `color-mix(in srgb, var(--s${below + 1}) ${percent}%, var(--s${below}))`;
}
