import { main } from './environment.mjs';
import { runNpm } from './processes.mjs';

/** The parts that Gatehouse distributes; see scripts/sbom.mjs. The first part includes the npm packages in packages/. */
const PARTS = [['--omit=dev'], ['--workspace=@gatehouse/console']];

const OPTIONS = ['--audit', '--audit-level=high', '--json', '--loglevel=silent'];
/** Without a registry, the command must not take minutes. */
const TIMEOUTS = ['--fetch-retries=0', '--fetch-timeout=20000'];

/**
 * Reports known vulnerabilities of the distributed packages. Returns 1 for severity high or critical, and 0 with
 * the reason if no registry answers.
 */
await main(async () => {
  for (const part of PARTS) {
    const args = ['audit', ...OPTIONS, ...TIMEOUTS, ...part];
    const { output } = await runNpm(args);
    const report = parse(output);
    if (!report?.vulnerabilities) {
      console.log(`npm audit: skipped, because no registry answers it (${describeError(report, output)})`);
      return 0;
    }
    const found = Object.values(report.vulnerabilities);
    const severe = found.filter(({ severity }) => ['high', 'critical'].includes(severity));
    for (const { name, severity, via } of severe)
      console.error(`npm audit: ${name}: ${severity}: ${via.map((cause) => cause.url ?? cause)}`);
    console.log(`npm audit ${part}: ${found.length} vulnerable packages, ${severe.length} high or critical`);
    if (severe.length > 0) return 1;
  }
  return 0;
});

function parse(output) {
  try {
    return JSON.parse(output);
  } catch {
    return null;
  }
}

function describeError(report, output) {
  return report?.error?.code ?? report?.message ?? (output.trim().split('\n')[0] || 'no response');
}
