import { load, loadAll, YAML11_SCHEMA } from 'js-yaml';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { KUBERNETES_VERSIONS, prepareHelmTools } from '../../scripts/helm-tools.mjs';
import { run } from '../../scripts/processes.mjs';

/**
 * Renders the chart as an administrator would, and checks the manifests. scripts/check-chart.mjs checks everything
 * that does not need Helm.
 */
const CHART = 'ops/helm/gatehouse';
const VALUES = readdirSync(`${CHART}/ci`);

/** Custom resources, whose schemas are not part of Kubernetes. */
const WITHOUT_SCHEMA = ['ExternalSecret', 'PrometheusRule', 'ServiceMonitor'];

/** Seconds after which a stopping program exits (libs/platform/src/programs/run-process.ts). */
const STOP_TIMEOUT = 15;

interface Container {
  name: string;
  command: string[];
  env: { name: string; value: string }[];
  [field: string]: unknown;
}

interface Pod {
  terminationGracePeriodSeconds: number;
  containers: [Container];
  volumes: { name: string; secret?: { items: { key: string }[] } }[];
  [field: string]: unknown;
}

interface Resource {
  kind: string;
  metadata: { name: string; labels: Record<string, string> };
  spec: {
    template: { spec: Pod; metadata: object };
    selector: { matchLabels: object };
    [field: string]: unknown;
  };
}

const tools = await prepareHelmTools(process.stderr).catch((error: Error) => {
  process.stderr.write(`The Helm chart is not tested: ${error.message}\n`);
  return null;
});

async function runTool(name: 'helm' | 'kubeconform', args: string[], input?: string): Promise<string> {
  const { code, output } = await run(tools![name], args, input === undefined ? {} : { input });
  if (code !== 0) throw new Error(output);
  return output;
}

const template = (values: string, ...args: string[]): Promise<string> =>
  runTool('helm', [
    ...['template', 'auth', CHART, '--namespace', 'identity', '--values', `${CHART}/ci/${values}`],
    ...['--kube-version', KUBERNETES_VERSIONS.at(-1)!, ...args],
  ]);
const render = async (values: string, ...args: string[]): Promise<Resource[]> =>
  loadAll(await template(values, ...args), { schema: YAML11_SCHEMA }) as Resource[];
interface EgressRule {
  to: {
    ipBlock?: { cidr: string; except?: string[] };
    namespaceSelector?: { matchLabels: object };
  }[];
  ports: { port: number; endPort?: number; protocol?: string }[];
}

/** Returns the egress rules of each network policy that has any. */
const egressOf = (resources: Resource[]): Map<string, EgressRule[]> =>
  new Map(
    resources
      .filter(({ kind, spec }) => kind === 'NetworkPolicy' && spec['egress'])
      .map(({ metadata, spec }) => [metadata.name, spec['egress'] as EgressRule[]]),
  );
const podsOf = (resources: Resource[]): Map<string, Pod> =>
  new Map(
    resources
      .filter(({ kind }) => ['Deployment', 'Job'].includes(kind))
      .map(({ metadata, spec }) => [metadata.labels['app.kubernetes.io/component']!, spec.template.spec]),
  );

(tools ? describe : describe.skip)('the Helm chart', () => {
  it.each(VALUES)('passes helm lint and kubeconform with the values in %s', async (values) => {
    await runTool('helm', ['lint', '--strict', CHART, '--values', `${CHART}/ci/${values}`]);
    for (const version of KUBERNETES_VERSIONS) {
      const output = await runTool(
        'kubeconform',
        [
          ...['-strict', '-verbose', '-output', 'json', '-kubernetes-version', version],
          ...['-ignore-missing-schemas', '-schema-location', tools!.schemaLocation],
        ],
        await template(values, '--kube-version', version),
      );
      const { resources } = JSON.parse(output) as { resources: { kind: string; status: string }[] };
      const skipped = resources.filter(({ status }) => status === 'statusSkipped').map(({ kind }) => kind);
      if (skipped.length > 0)
        process.stderr.write(`kubeconform ${version} skips ${skipped.join(', ')}: no schema in Kubernetes\n`);
      expect(skipped.filter((kind) => !WITHOUT_SCHEMA.includes(kind))).toEqual([]);
      expect(resources.filter(({ status }) => status === 'statusValid').length).toBeGreaterThanOrEqual(10);
    }
  });

  it('renders optional resources only if they are enabled', async () => {
    const kinds = async (values: string) =>
      [...new Set((await render(values)).map(({ kind }) => kind))].sort();
    const required = ['Deployment', 'Job', 'NetworkPolicy', 'PodDisruptionBudget', 'Service'];
    const optional = [
      'ExternalSecret',
      'HorizontalPodAutoscaler',
      'Ingress',
      'PrometheusRule',
      'ServiceMonitor',
    ];
    expect(await kinds('minimal-values.yaml')).toEqual(required);
    expect(await kinds('complete-values.yaml')).toEqual([...required, ...optional].sort());
  });

  it('contains exactly the alert rules of ops/prometheus', async () => {
    const { spec } = (await render('complete-values.yaml')).find(({ kind }) => kind === 'PrometheusRule')!;
    expect(spec).toEqual(
      load(await readFile('ops/prometheus/alerts.yml', 'utf8'), { schema: YAML11_SCHEMA }),
    );
  });

  it('configures every pod to trust the certificate authorities in a mounted file', async () => {
    for (const [name, { containers, volumes }] of podsOf(await render('complete-values.yaml'))) {
      expect([name, volumes]).toEqual([
        name,
        expect.arrayContaining([{ name: 'authorities', configMap: { name: 'authorities' } }]),
      ]);
      expect(containers[0]).toMatchObject({
        env: expect.arrayContaining([{ name: 'NODE_EXTRA_CA_CERTS', value: '/etc/authorities/ca.crt' }]),
        volumeMounts: expect.arrayContaining([
          { name: 'authorities', mountPath: '/etc/authorities', readOnly: true },
        ]),
      });
    }
  });

  it('schedules every pod by affinity, and spreads the pods of each component', async () => {
    const pods = podsOf(await render('complete-values.yaml'));
    for (const [name, pod] of pods) {
      expect([name, pod['affinity']]).toEqual([name, { nodeAffinity: expect.anything() }]);
      const constraint = (topologyKey: string, whenUnsatisfiable: string) => ({
        ...{ topologyKey, maxSkew: 1, whenUnsatisfiable, matchLabelKeys: ['pod-template-hash'] },
        labelSelector: { matchLabels: expect.objectContaining({ 'app.kubernetes.io/component': name }) },
      });
      const expected = [
        constraint('kubernetes.io/hostname', 'DoNotSchedule'),
        constraint('topology.kubernetes.io/zone', 'ScheduleAnyway'),
      ];
      expect([name, pod['topologySpreadConstraints']]).toEqual([
        name,
        name === 'migrate' ? undefined : expected,
      ]);
    }
    const [api] = (await render('minimal-values.yaml')).filter(({ kind }) => kind === 'Deployment');
    expect(api!.spec.template.spec['topologySpreadConstraints']).toMatchObject([
      { topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway' },
    ]);
  });

  it('SC-04: runs every pod without root, capabilities, a writable file system or a token', async () => {
    const pods = podsOf(await render('complete-values.yaml'));
    expect([...pods.keys()].sort()).toEqual(['api', 'migrate', 'worker']);
    for (const [name, pod] of pods) {
      expect([name, pod]).toMatchObject([
        name,
        {
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: 1000,
            seccompProfile: { type: 'RuntimeDefault' },
          },
          containers: [
            {
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { drop: ['ALL'] },
              },
            },
          ],
        },
      ]);
    }
  });

  it('OP-05: passes the credentials of the table owner only to the migration', async () => {
    const pods = podsOf(await render('minimal-values.yaml'));
    const withOwner = [...pods].filter(([, pod]) => JSON.stringify(pod).includes('MIGRATE_DATABASE_URL'));
    expect(withOwner.map(([name]) => name)).toEqual(['migrate']);
    for (const [, pod] of pods) {
      const files = pod.volumes.flatMap(({ secret }) => secret?.items ?? []).map(({ key }) => `${key}_FILE`);
      const variables = pod.containers[0].env
        .map(({ name }) => name)
        .filter((name) => name.endsWith('_FILE'));
      expect(variables).toEqual(files);
      expect(pod.containers[0].env).toContainEqual({ name: 'MIGRATE', value: 'off' });
    }
  });

  it('sets the address, port and data folder independently of the image', async () => {
    for (const [, pod] of podsOf(await render('minimal-values.yaml')))
      expect(pod.containers[0].env).toEqual(
        expect.arrayContaining([
          { name: 'HOST', value: '0.0.0.0' },
          { name: 'PORT', value: '3000' },
          { name: 'DATA_DIR', value: '/tmp/gatehouse' },
        ]),
      );
  });

  it('gives every pod time to shut down, and keeps all replicas available during a rollout', async () => {
    const resources = await render('minimal-values.yaml');
    const pods = podsOf(resources);
    for (const [, { terminationGracePeriodSeconds: grace, containers }] of pods) {
      const { lifecycle } = containers[0] as { lifecycle?: { preStop: { sleep: { seconds: number } } } };
      expect(grace - (lifecycle?.preStop.sleep.seconds ?? 0)).toBeGreaterThan(STOP_TIMEOUT);
    }
    expect(pods.get('api')!.containers[0]['lifecycle']).toBeDefined();
    for (const { kind, spec } of resources)
      if (kind === 'Deployment')
        expect(spec['strategy']).toMatchObject({ rollingUpdate: { maxUnavailable: 0 } });
  });

  it('probes the programs on the ports that serve /livez and /readyz', async () => {
    const pods = podsOf(await render('minimal-values.yaml'));
    for (const [name, port] of [
      ['api', 'http'],
      ['worker', 'metrics'],
    ])
      expect(pods.get(name!)!.containers[0]).toMatchObject({
        livenessProbe: { httpGet: { path: '/livez', port } },
        readinessProbe: { httpGet: { path: '/readyz', port } },
        ports: expect.arrayContaining([expect.objectContaining({ name: port })]),
      });
  });

  it('renames the migration Job when its pod changes, because a Job is immutable', async () => {
    const nameOf = async (...args: string[]) =>
      (await render('minimal-values.yaml', ...args)).find(({ kind }) => kind === 'Job')!.metadata.name;
    expect(await nameOf()).toBe(await nameOf('--set', 'api.replicas=5'));
    expect(await nameOf('--set', 'image.tag=0.2.0')).not.toBe(await nameOf());
  });

  it('scales workers by the age of the queue, and leaves replica counts to autoscalers', async () => {
    const resources = await render('complete-values.yaml');
    const scalers = resources.filter(({ kind }) => kind === 'HorizontalPodAutoscaler');
    expect(scalers.map(({ spec }) => spec['metrics'])).toMatchObject([
      [{ type: 'Resource', resource: { name: 'cpu' } }],
      [
        {
          type: 'External',
          external: {
            metric: { name: 'gatehouse_deliveries_oldest_due_seconds' },
            target: { type: 'Value' },
          },
        },
      ],
    ]);
    for (const { kind, spec } of resources)
      if (kind === 'Deployment') expect(spec).not.toHaveProperty('replicas');
  });

  it.each(VALUES)(
    'limits every egress rule to destinations and ports, with the values in %s',
    async (values) => {
      for (const [name, rules] of egressOf(await render(values)))
        for (const { to, ports } of rules)
          expect([name, to.length > 0, ports.length > 0]).toEqual([name, true, true]);
    },
  );

  it('allows egress to configured servers, the internet, and webhook networks and resolvers', async () => {
    const egress = egressOf(await render('complete-values.yaml'));
    const describeRule = ({ to, ports }: EgressRule): string => {
      const peers = to.map(({ ipBlock, namespaceSelector }) => {
        if (ipBlock) return ipBlock.cidr;
        return (namespaceSelector!.matchLabels as Record<string, string>)['kubernetes.io/metadata.name'];
      });
      const numbers = ports.map(
        ({ port, endPort, protocol = '' }) => protocol + port + (endPort ? `-${endPort}` : ''),
      );
      return `${peers.join()} ${numbers.join()}`;
    };
    const described = [...egress].map(([name, rules]) => [name, rules.map(describeRule)]);
    expect(Object.fromEntries(described)).toEqual({
      'auth-gatehouse': ['kube-system UDP53,TCP53', '10.9.0.0/24 5432', 'redis 6379'],
      'auth-gatehouse-programs': [
        '10.9.1.25/32 587',
        '0.0.0.0/0,2000::/3,10.2.0.0/16,10.3.0.0/16 443,1024-65535',
        '10.4.0.53/32 UDP53,TCP53',
        '10.4.0.54/32 UDP5353,TCP5353',
        'fd00::53/128 UDP53,TCP53',
        'fd00::54/128 UDP5353,TCP5353',
        'tracing 4318',
      ],
    });
    const [smtp, internet] = egressOf(await render('minimal-values.yaml')).get('auth-gatehouse-programs')!;
    expect(smtp!.to).toEqual(internet!.to);
    // scripts/check-chart.mjs compares them with the addresses to which Gatehouse allows deliveries.
    expect(internet!.to[0]!.ipBlock!.except).toEqual(
      expect.arrayContaining(['10.0.0.0/8', '169.254.0.0/16']),
    );
  });

  it('rejects values that its schema does not allow', async () => {
    await expect(template('minimal-values.yaml', '--set', 'settings.PUBLIC_ULR=x')).rejects.toThrow(
      'PUBLIC_ULR',
    );
    await expect(template('minimal-values.yaml', '--set', 'ingress.enabled=true')).rejects.toThrow(
      'TRUSTED_PROXIES',
    );
    const withoutDatabase = template('minimal-values.yaml', '--set-json', 'networkPolicy.postgresql.to=[]');
    await expect(withoutDatabase).rejects.toThrow('networkPolicy/postgresql/to');
    const chart = load(await runTool('helm', ['show', 'chart', CHART])) as { kubeVersion: string };
    expect(chart.kubeVersion).toBe(`>=${KUBERNETES_VERSIONS[0]}-0`);
  });
});
