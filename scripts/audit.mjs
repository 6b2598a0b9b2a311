import fs from 'node:fs';
import { main } from './environment.mjs';
import { runNpm } from './processes.mjs';

/** npm options for the parts that Gatehouse distributes (scripts/sbom.mjs). The first part includes packages/. */
const PARTS = [['--omit=dev'], ['--workspace=@gatehouse/console']];

const OPTIONS = ['--audit', '--audit-level=high', '--json', '--loglevel=silent'];
/** Limits the time that the command takes when the registry is unreachable. */
const TIMEOUTS = ['--fetch-retries=0', '--fetch-timeout=20000'];

/**
 * Exit code if the registry did not audit the packages, which is neither a pass nor a failure (EX_TEMPFAIL in
 * sysexits.h).
 */
const NOT_RUN = 75;

/**
 * Reports known vulnerabilities in the distributed packages. The exit code is 1 for severity high or critical, and 75
 * if a part was not audited; the reason is printed.
 */
await main(async () => {
  let hasSevere = false;
  const reasons = new Set();
  for (const part of PARTS) {
    const { output } = await runNpm(['audit', ...OPTIONS, ...TIMEOUTS, ...part]);
    const report = parse(output);
    if (!report?.vulnerabilities) {
      reasons.add(describeError(report, output));
      continue;
    }
    const found = Object.values(report.vulnerabilities);
    const severe = found.filter(({ severity }) => ['high', 'critical'].includes(severity));
    for (const { name, severity, via } of severe)
      console.error(`npm audit: ${name}: ${severity}: ${via.map((cause) => cause.url ?? cause)}`);
    console.log(`npm audit ${part}: ${found.length} vulnerable packages, ${severe.length} high or critical`);
    hasSevere ||= severe.length > 0;
  }
  if (reasons.size > 0) reportNotRun([...reasons].join(', '));
  if (hasSevere) return 1;
  return reasons.size > 0 ? NOT_RUN : 0;
});

/** Reports that packages were not audited. In GitHub Actions, also adds a warning and a line in the job summary. */
function reportNotRun(reason) {
  const text = `No registry has audited the packages (${reason}). Known vulnerabilities were not checked.`;
  console.error(`\n${'!'.repeat(72)}\nnpm audit: NOT RUN. ${text}\n${'!'.repeat(72)}\n`);
  const { GITHUB_ACTIONS, GITHUB_STEP_SUMMARY } = process.env;
  if (GITHUB_ACTIONS) console.log(`::warning title=npm audit did not run::${text}`);
  if (GITHUB_STEP_SUMMARY) fs.appendFileSync(GITHUB_STEP_SUMMARY, `**npm audit did not run.** ${text}\n`);
}

function parse(output) {
  try {
    return JSON.parse(output);
  } catch {
    return null;
  }
}

/** Returns the reason in a single line, which annotations and summaries require. */
function describeError(report, output) {
  return (
    report?.error?.code ?? report?.message?.split('\n')[0] ?? (output.trim().split('\n')[0] || 'no response')
  );
}
