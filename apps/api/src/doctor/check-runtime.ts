import { ok, type CheckResult } from './check-result.js';

/** The Node.js version of the image, with which all benchmarks are measured. */
const RECOMMENDED_MAJOR = 24;

/** Reports the Node.js version. An older supported version is not a problem, but costs more CPU time. */
export function checkRuntime(version = process.versions.node): CheckResult {
  const isOlder = Number.parseInt(version, 10) < RECOMMENDED_MAJOR;
  const advice = isOlder
    ? `. Node.js ${RECOMMENDED_MAJOR} uses a third to half less CPU time per request`
    : '';
  return ok('runtime', `Node.js ${version}${advice}`);
}
