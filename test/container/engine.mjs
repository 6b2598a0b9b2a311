import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ScriptError, root, step } from '../../scripts/environment.mjs';
import { run, runNpm } from '../../scripts/processes.mjs';
import { readCompose, readDockerfile } from '../support/compose.mjs';

/** Exit code for a test that cannot run, as in Automake. */
export const SKIPPED = 77;

/** Docker's data directory for an engine that this test starts. Later runs reuse its images. */
const CACHE = path.join(root, 'node_modules', '.cache', 'container');
const BASE = 'gatehouse-test/debian:trixie';
const FILES = path.join(root, 'test', 'container');

class CannotRunError extends ScriptError {
  constructor(reason) {
    super(`The containers are not tested: ${reason.trim()}`, SKIPPED);
  }
}

/** A Docker engine: the running one, or one that was started for this test. */
export class Engine {
  /** @type {string[]} */
  #compose = [];
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #daemon;
  /** @type {NodeJS.ProcessEnv} */
  env = { ...process.env };

  /** @throws CannotRunError with the reason if there is no engine and none can be started */
  static async start() {
    const engine = new Engine();
    if ((await run('docker', ['--version'])).code !== 0) throw new CannotRunError('docker is not installed');
    if ((await engine.#docker('info')).code !== 0) await engine.#startDaemon();
    // Without buildx, recent Docker clients can build only with the legacy builder.
    if ((await engine.#docker('buildx', 'version')).code !== 0)
      Object.assign(engine.env, { DOCKER_BUILDKIT: '0', COMPOSE_DOCKER_CLI_BUILD: '0' });
    if ((await engine.#docker('compose', 'version')).code === 0) engine.#compose = ['docker', 'compose'];
    else if ((await run('docker-compose', ['--version'])).code === 0) engine.#compose = ['docker-compose'];
    else {
      await engine.stop();
      throw new CannotRunError('Docker Compose is not installed');
    }
    return engine;
  }

  async #startDaemon() {
    if (process.getuid?.() !== 0 || (await run('dockerd', ['--version'])).code !== 0)
      throw new CannotRunError(
        'no Docker engine is running, and none can be started without root and dockerd',
      );
    const folder = fs.mkdtempSync(path.join(tmpdir(), 'gatehouse-docker-'));
    fs.mkdirSync(CACHE, { recursive: true });
    const socket = `unix://${folder}/docker.sock`;
    const log = fs.openSync(path.join(folder, 'log'), 'w');
    this.#daemon = spawn(
      'dockerd',
      [
        `--host=${socket}`,
        `--data-root=${CACHE}/docker`,
        `--exec-root=${folder}/exec`,
        `--pidfile=${folder}/pid`,
      ],
      // A separate process group: Ctrl-C must not stop the engine before its containers are removed.
      { stdio: ['ignore', log, log], detached: true },
    );
    this.env['DOCKER_HOST'] = socket;
    while ((await this.#docker('info')).code !== 0) {
      if (this.#daemon.exitCode !== null || this.#daemon.signalCode !== null) {
        const lines = fs.readFileSync(path.join(folder, 'log'), 'utf8').trim().split('\n');
        throw new CannotRunError(`dockerd has ended: ${lines.at(-1)}`);
      }
      await sleep(200);
    }
  }

  /** @param {string[]} args */
  #docker(...args) {
    return run('docker', args, { env: this.env });
  }

  /**
   * Runs `docker` and returns its output.
   * @param {string[]} args
   * @throws Error with the output if it fails
   */
  docker(...args) {
    return this.#run(['docker', ...args]);
  }

  /**
   * Runs Docker Compose in a folder and returns its output.
   * @param {string} folder
   * @param {string[]} args
   * @throws Error with the output if it fails
   */
  compose(folder, ...args) {
    return this.#run([...this.#compose, ...args], folder);
  }

  async #run([command = '', ...args], cwd = root) {
    const { code, output } = await run(command, args, { cwd, env: this.env });
    if (code !== 0) throw new Error(`${[command, ...args].join(' ')}:\n${output}`);
    return output;
  }

  /**
   * Provides the images on which the image and the compose file are based. Pulls them or, in an engine that this test
   * has started, builds stand-ins from Debian packages and from programs on this machine.
   * @returns {Promise<string[]>} the images that were replaced by a stand-in, which has their tag but not their
   * digest
   * @throws CannotRunError with the reason if an image is missing
   */
  async provideImages() {
    const [, node = ''] = /^NODE_IMAGE=(.+)$/.exec(readDockerfile().all('ARG')[0] ?? '') ?? [];
    const secrets = new Proxy({}, { get: () => 'secret' });
    const { services } = readCompose(secrets);
    const images = { node };
    const replaced = [];
    for (const [name, { image, build }] of Object.entries(services)) if (!build) images[name] = image;
    for (const [name, image] of Object.entries(images)) {
      if ((await this.#docker('image', 'inspect', image)).code === 0) continue;
      const { code, output } = await this.#docker('pull', '--quiet', image);
      if (code === 0) continue;
      const reason = `${image} cannot be pulled (${output.trim().split('\n').at(-1)})`;
      // A stand-in has the official image's tag, so it must not end up in a developer's engine.
      if (!this.#daemon) throw new CannotRunError(reason);
      replaced.push(image);
      const [tag = ''] = image.split('@');
      if ((await this.#docker('image', 'inspect', tag)).code === 0) continue;
      console.log(`  ${reason}: building a stand-in`);
      await step(process.stdout, `Building ${tag}`, () => this.#buildStandIn(name, tag));
    }
    return replaced;
  }

  async #buildStandIn(name, image) {
    if ((await this.#docker('image', 'inspect', BASE)).code !== 0) await this.#buildBase();
    const context = fs.mkdtempSync(path.join(tmpdir(), 'gatehouse-stand-in-'));
    try {
      if (name === 'mailpit') await this.#buildMailpit(image, context);
      fs.copyFileSync(
        path.join(FILES, 'postgres-entrypoint.sh'),
        path.join(context, 'postgres-entrypoint.sh'),
      );
      fs.copyFileSync(process.execPath, path.join(context, 'node'));
      const modules = (await runNpm(['root', '--global'])).output.trim();
      fs.cpSync(path.join(modules, 'npm'), path.join(context, 'npm'), { recursive: true });
      const certificates = process.env['NODE_EXTRA_CA_CERTS'] ?? '/etc/ssl/certs/ca-certificates.crt';
      fs.copyFileSync(certificates, path.join(context, 'certificates.crt'));
      const registry = (await runNpm(['config', 'get', 'registry'])).output.trim();
      await this.docker(
        ...['build', '--target', name, '--tag', image, '--file', path.join(FILES, 'stand-ins.Dockerfile')],
        ...['--build-arg', `BASE=${BASE}`, '--build-arg', `NPM_REGISTRY=${registry}`, context],
      );
    } finally {
      fs.rmSync(context, { recursive: true });
    }
  }

  /** Builds Mailpit from source with Go. */
  async #buildMailpit(image, folder) {
    const [, tag = ''] = image.split(':');
    const env = { ...process.env, GOBIN: folder, CGO_ENABLED: '0' };
    const { code, output } = await run('go', ['install', `github.com/axllent/mailpit@${tag}`], { env });
    if (code !== 0) throw new CannotRunError(`go: ${output.trim().split('\n').at(-1)}`);
  }

  async #buildBase() {
    const folder = fs.mkdtempSync(path.join(tmpdir(), 'gatehouse-debian-'));
    try {
      const options = ['--variant=minbase', '--include=ca-certificates', 'trixie', folder];
      const { code, output } = await run('debootstrap', options);
      if (code !== 0) throw new CannotRunError(`debootstrap: ${output.trim().split('\n').at(-1)}`);
      await this.#run(['sh', '-c', `tar --create --directory "$0" . | docker import - "$1"`, folder, BASE]);
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
  }

  /** Stops the engine if this test started it. */
  async stop() {
    if (!this.#daemon || this.#daemon.exitCode !== null) return;
    const exited = once(this.#daemon, 'exit');
    this.#daemon.kill();
    await exited;
    fs.rmSync(path.dirname(new URL(this.env['DOCKER_HOST'] ?? '').pathname), { recursive: true });
  }
}
