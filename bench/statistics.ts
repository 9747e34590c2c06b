// Medians with their range: a machine that others use has no single figure.

export interface Summary {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export function summarize(values: readonly number[]): Summary {
  const sorted = values.toSorted((left, right) => left - right);
  return { median: percentile(sorted, 0.5), min: sorted.at(0) ?? Number.NaN, max: sorted.at(-1) ?? Number.NaN };
}

/** Of values in ascending order; an even number's median is the mean of the two in the middle. */
export function percentile(sorted: readonly number[], fraction: number): number {
  const position = (sorted.length - 1) * fraction;
  const low = sorted[Math.floor(position)] ?? Number.NaN;
  const high = sorted[Math.ceil(position)] ?? Number.NaN;
  return low + (high - low) * (position - Math.floor(position));
}

/** The quotients of figures of the same round, so that what slows a whole round down cancels out. */
export function ratioOf(numerators: readonly number[], denominators: readonly number[]): Summary {
  return summarize(numerators.map((numerator, round) => numerator / (denominators[round] ?? Number.NaN)));
}
