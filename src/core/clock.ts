// Time is passed in, never taken: tests and the simulation own it.

/** Unix time in whole ms. */
export type Clock = () => number;
