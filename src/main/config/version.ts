/**
 * The versions this program reports: the Kubernetes release it is compatible with and its own.
 * Invariant: `AGENT_VERSION` equals package.json (a test holds them together; a bundled release has no
 * package.json beside it, hence the constant).
 */

/** Version of this project. */
export const AGENT_VERSION = '0.1.0';

/** The upstream release whose behaviour we follow. */
export const KUBERNETES_VERSION = 'v1.36.4';

/** What --version, the node status and /version metrics report: the release plus our build metadata. */
export const REPORTED_VERSION = `${KUBERNETES_VERSION}+ts.${AGENT_VERSION}`;
