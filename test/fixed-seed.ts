/**
 * Loaded before every test file: property tests draw the same inputs in each
 * run, so that a red run is a change's fault and not a draw's. New inputs are
 * looked for on purpose: `make check PROPERTY_SEED=random`, or a number to
 * replay what such a run printed.
 */
import fc from 'fast-check';

const { PROPERTY_SEED = '20361' } = process.env;

if (PROPERTY_SEED !== 'random') fc.configureGlobal({ seed: Number(PROPERTY_SEED) });
