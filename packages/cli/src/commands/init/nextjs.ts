import { CliError } from '../../cli-error.js';
import { CodePlanner, type CodePlan, type Framework } from './framework.js';
import { ModuleEditor } from './module-editor.js';
import type { AppFolder } from './app-folder.js';

/** Next.js with the App Router: a sign-in page, a page that requires a signed-in customer, and tokens in cookies. */
export const nextjs: Framework = {
  name: 'Next.js',
  packages: ['@gatehouse/nextjs', '@gatehouse/react'],
  envFile: '.env.local',
  // The app's server sends all requests to Gatehouse.
  pageOrigin: () => null,
  needsProject: true,
  urlVariable: 'GATEHOUSE_URL',
  publishableKeyVariable: 'GATEHOUSE_PUBLISHABLE_KEY',

  detect: (folder) => folder.dependency('next') !== undefined,

  variables: ({ url, projectId, publishableKey }) => ({
    GATEHOUSE_URL: url,
    GATEHOUSE_PROJECT_ID: projectId,
    GATEHOUSE_PUBLISHABLE_KEY: publishableKey,
  }),

  plan: planNextjs,

  nextSteps: ({ runScript }) => [
    `Start the app:  ${runScript('dev')}`,
    'Open /orders at the URL that it prints, and create an account.',
  ],
};

function planNextjs(folder: AppFolder): CodePlan {
  const major = Number(/\d+/.exec(folder.dependency('next') ?? '')?.[0] ?? NaN);
  if (major < 16)
    throw new CliError(`@gatehouse/nextjs requires Next.js 16, and this app has ${major}.`, {
      fix: 'Upgrade Next.js, then run `gatehouse init` again.',
    });
  const layout = folder.find(...layoutPaths);
  if (!layout)
    throw new CliError('@gatehouse/nextjs requires the App Router, and this app has no app/layout.', {
      fix: 'Add a root layout: https://nextjs.org/docs/app/getting-started/layouts-and-pages',
    });
  const planner = new CodePlanner(folder);
  const app = layout.slice(0, layout.lastIndexOf('/'));
  const root = app.slice(0, -'app'.length);
  const [ts, tsx] = /\.tsx?$/.test(layout) ? ['ts', 'tsx'] : ['js', layout.endsWith('.jsx') ? 'jsx' : 'js'];
  const middleware = folder.find(
    ...['proxy', 'middleware'].flatMap((name) => [`${root}${name}.ts`, `${root}${name}.js`]),
  );
  planner.create(middleware ?? `${root}proxy.${ts}`, PROXY);
  planner.create(`${app}/api/gatehouse/[...path]/route.${ts}`, ROUTE);
  planner.create(`${app}/sign-in/page.${tsx}`, SIGN_IN_PAGE);
  planner.create(`${app}/account.${tsx}`, ACCOUNT);
  planner.create(`${app}/orders/page.${tsx}`, ORDERS_PAGE);
  planner.edit(layout, '@gatehouse/', (code) => wrapChildren(folder, layout, code), LAYOUT_LINES);
  return planner.plan;
}

const layoutPaths = ['app', 'src/app'].flatMap((folder) =>
  ['tsx', 'jsx', 'js'].map((extension) => `${folder}/layout.${extension}`),
);

/** Returns true if Next.js renders a static shell for each page. The shell cannot read a request's session. */
function hasStaticShell(folder: AppFolder): boolean {
  const config = folder.find(...['ts', 'mts', 'js', 'mjs'].map((extension) => `next.config.${extension}`));
  return /\bcacheComponents:\s*true\b/.test((config && folder.read(config)) ?? '');
}

/** Wraps `{children}` in the provider, so that all pages can read the session. */
function wrapChildren(
  folder: AppFolder,
  path: string,
  code: string,
): { content: string } | { reason: string } {
  const editor = ModuleEditor.parse(path, code);
  if (!editor) return { reason: 'it has a syntax error' };
  if (editor.hasDirective('use client'))
    return { reason: 'it is a client component, and the provider is a server component' };
  const children = editor.findOnly(
    (node) => node.type === 'JSXExpressionContainer' && /^\{\s*children\s*\}$/.test(editor.textOf(node)),
  );
  if (!children?.ancestors.some(({ type }) => type === 'JSXElement'))
    return { reason: 'it does not render `{children}` exactly once' };
  editor.addImport('{ GatehouseProvider }', '@gatehouse/nextjs');
  editor.addImport('', '@gatehouse/react/styles.css');
  if (hasStaticShell(folder) && !/\binstant\b/.test(code)) editor.insertAfterImports(INSTANT);
  editor.replace(children.node, `<GatehouseProvider>${editor.textOf(children.node)}</GatehouseProvider>`);
  return { content: editor.toString() };
}

// The files in docs/quick-starts/nextjs.md.

const PROXY = `export { gatehouseProxy as proxy } from '@gatehouse/nextjs';

export const config = { matcher: ['/((?!_next/static/[\\\\w/.-]+$|_next/image$|favicon\\\\.ico$).*)'] };
`;

const ROUTE = `export { DELETE, GET, PATCH, POST } from '@gatehouse/nextjs';
`;

const SIGN_IN_PAGE = `import { SignIn } from '@gatehouse/nextjs';

export default function SignInPage() {
  return (
    <main>
      <SignIn />
    </main>
  );
}
`;

const ACCOUNT = `'use client';
import { useAuth } from '@gatehouse/react';
import Link from 'next/link';

export function Account() {
  const { customer, signOut } = useAuth();
  if (!customer) return <Link href="/sign-in">Sign in</Link>;
  return (
    <p>
      Signed in as {customer.email} <button onClick={() => void signOut()}>Sign out</button>
    </p>
  );
}
`;

const ORDERS_PAGE = `import { auth } from '@gatehouse/nextjs';
import { Account } from '../account';

export default async function OrdersPage() {
  const { customerId } = await auth.protect();
  return (
    <main>
      <h1>Orders</h1>
      <p>Orders for customer {customerId}</p>
      <Account />
    </main>
  );
}
`;

/** Makes pages wait for the request, as they do without `cacheComponents`. */
const INSTANT = `

// The provider reads the request's session.
export const instant = false;`;

const LAYOUT_LINES = `import { GatehouseProvider } from '@gatehouse/nextjs';
import '@gatehouse/react/styles.css';

<GatehouseProvider>{children}</GatehouseProvider>`;
