import fs from 'node:fs';
import path from 'node:path';
import { ScriptError, root, step } from './environment.mjs';
import { run } from './processes.mjs';

const HELM = 'helm.sh/helm/v3/cmd/helm@v3.22.0';
const KUBECONFORM = 'github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0';
/** A Python package that contains the Kubernetes JSON schemas. */
const SCHEMAS = 'kubernetes-validate==1.37.0';

/** The oldest version that the chart supports, and the newest version in the schemas. */
export const KUBERNETES_VERSIONS = ['1.30.0', '1.37.0'];

const FOLDER = path.join(root, 'node_modules', '.cache', 'helm');
const SCHEMA_FOLDER = path.join(FOLDER, 'schemas');

/** Extracts the strict schemas of each version, which reject unknown fields. */
const EXTRACT = `
import sys, zipfile
wheel, folder, versions = sys.argv[1], sys.argv[2], sys.argv[3:]
with zipfile.ZipFile(wheel) as archive:
    for name in archive.namelist():
        if any(f"/v{version}-local-strict/" in name for version in versions):
            archive.extract(name, folder)
`;

/**
 * Builds helm and kubeconform with Go, and downloads the Kubernetes JSON schemas with pip, once for each version.
 * Building takes several minutes.
 * @param {NodeJS.WritableStream} output stream for progress messages
 * @returns {Promise<{ helm: string, kubeconform: string, schemaLocation: string }>}
 * @throws ScriptError with the reason if a program or a registry is unavailable
 */
export async function prepareHelmTools(output) {
  for (const tool of [HELM, KUBECONFORM]) await prepare(tool, output, installWithGo);
  await prepare(SCHEMAS, output, downloadSchemas);
  const bin = (name) => path.join(FOLDER, 'bin', name);
  const schemaLocation = path.join(
    SCHEMA_FOLDER,
    '{{ .NormalizedKubernetesVersion }}-local{{ .StrictSuffix }}',
    '{{ .ResourceKind }}{{ .KindSuffix }}.json',
  );
  return { helm: bin('helm'), kubeconform: bin('kubeconform'), schemaLocation };
}

/** Installs a package unless this version is already installed. */
async function prepare(name, output, install) {
  const stamp = path.join(FOLDER, encodeURIComponent(name));
  if (fs.existsSync(stamp)) return;
  fs.mkdirSync(FOLDER, { recursive: true });
  await step(output, `Installing ${name}`, () => install(name));
  fs.writeFileSync(stamp, '');
}

async function installWithGo(name) {
  await runOrThrow('go', ['install', name], { env: { ...process.env, GOBIN: path.join(FOLDER, 'bin') } });
}

async function downloadSchemas(name) {
  const download = path.join(FOLDER, 'download');
  fs.rmSync(download, { recursive: true, force: true });
  await runOrThrow('python3', [
    ...['-m', 'pip', 'download', '--quiet', '--no-deps', '--only-binary=:all:', '--dest', download, name],
  ]);
  const wheel = path.join(download, fs.readdirSync(download)[0]);
  await runOrThrow('python3', ['-c', EXTRACT, wheel, download, ...KUBERNETES_VERSIONS]);
  fs.rmSync(SCHEMA_FOLDER, { recursive: true, force: true });
  fs.renameSync(path.join(download, 'kubernetes_validate', 'kubernetes-json-schema'), SCHEMA_FOLDER);
  for (const file of fs.readdirSync(SCHEMA_FOLDER, { recursive: true }))
    if (file.endsWith('.json')) makeReferencesLocal(path.join(SCHEMA_FOLDER, file));
  fs.rmSync(download, { recursive: true });
}

/** Makes the references in a schema relative to its file. They refer to a web server that does not exist. */
function makeReferencesLocal(file) {
  const { $id: _, ...schema } = JSON.parse(fs.readFileSync(file, 'utf8'));
  fs.writeFileSync(
    file,
    JSON.stringify(schema).replaceAll('"/api/_definitions.json#', '"_definitions.json#'),
  );
}

async function runOrThrow(command, args, options) {
  const { code, output } = await run(command, args, options);
  if (code !== 0) throw new ScriptError(`${command}: ${output.trim().split('\n').at(-1)}`);
}
