import { CodePlanner, type CodePlan, type Framework } from './framework.js';
import { ModuleEditor, type SyntaxNode } from './module-editor.js';
import type { AppFolder } from './app-folder.js';

const ENTRY_LINES = `import { Gatehouse } from './gatehouse';

<Gatehouse>
  <App />
</Gatehouse>`;

/** Vite with React: signed-in customers see the app, and all others see the sign-in form. */
export const vite: Framework = {
  name: 'Vite with React',
  packages: ['@gatehouse/js', '@gatehouse/react'],
  envFile: '.env.local',
  pageOrigin: (folder) => `http://localhost:${readPort(folder)}`,
  needsProject: false,
  urlVariable: 'VITE_GATEHOUSE_URL',
  publishableKeyVariable: 'VITE_PUBLISHABLE_KEY',

  detect: (folder) => Boolean(folder.dependency('vite') && folder.dependency('react')),

  variables: ({ url, publishableKey }) => ({
    VITE_GATEHOUSE_URL: url,
    VITE_PUBLISHABLE_KEY: publishableKey,
  }),

  plan: planVite,

  nextSteps: ({ folder, runScript }) => [
    `Start the app:  ${runScript('dev')}`,
    `Open http://localhost:${readPort(folder)} and create an account.`,
  ],
};

/** Returns the development server's port. */
function readPort(folder: AppFolder): string {
  const config = folder.find('vite.config.ts', 'vite.config.js', 'vite.config.mts', 'vite.config.mjs');
  return /\bport:\s*(\d+)/.exec((config && folder.read(config)) ?? '')?.[1] ?? '5173';
}

function planVite(folder: AppFolder): CodePlan {
  const planner = new CodePlanner(folder);
  const entry = findEntry(folder);
  const sources = entry?.includes('/') ? entry.slice(0, entry.lastIndexOf('/') + 1) : entry ? '' : 'src/';
  const isTyped = entry ? /\.tsx?$/.test(entry) : folder.isTypeScript;
  const file = isTyped ? 'gatehouse.tsx' : 'gatehouse.jsx';
  planner.create(sources + file, gatehouseFile(isTyped));
  if (entry) planner.edit(entry, `./gatehouse`, (code) => wrapRoot(entry, code, file), ENTRY_LINES);
  else
    planner.explain(
      'the file that renders the app',
      'index.html does not load a file of the app',
      ENTRY_LINES,
    );
  return planner.plan;
}

/** Returns the module that index.html loads, or undefined. */
function findEntry(folder: AppFolder): string | undefined {
  const html = folder.read('index.html') ?? '';
  const path = /<script[^>]*\ssrc=["']\/?([^"']+\.[jt]sx?)["']/.exec(html)?.[1];
  return path && folder.find(path);
}

/** Returns the content of `src/gatehouse.tsx`, as in docs/quick-starts/react.md. */
const gatehouseFile = (isTyped: boolean): string =>
  `import { createClient, localStorageStorage } from '@gatehouse/js';
import { GatehouseProvider, SignedIn, SignedOut, SignIn, useAuth } from '@gatehouse/react';
import '@gatehouse/react/styles.css';
${isTyped ? `import type { ReactNode } from 'react';\n` : ''}
const client = createClient({
  url: import.meta.env.VITE_GATEHOUSE_URL,
  publishableKey: import.meta.env.VITE_PUBLISHABLE_KEY,
  storage: localStorageStorage(),
});

function Account() {
  const { customer, signOut } = useAuth();
  return (
    <p>
      Signed in as {customer?.email} <button onClick={() => signOut()}>Sign out</button>
    </p>
  );
}

/** Shows the app to signed-in customers, and the sign-in form to everyone else. */
export function Gatehouse({ children }${isTyped ? ': { children: ReactNode }' : ''}) {
  return (
    <GatehouseProvider client={client}>
      <SignedOut>
        <SignIn />
      </SignedOut>
      <SignedIn>
        <Account />
        {children}
      </SignedIn>
    </GatehouseProvider>
  );
}
`;

const isElement = ({ type }: SyntaxNode): boolean => type === 'JSXElement' || type === 'JSXFragment';

/** Renders the app inside `<Gatehouse>`. */
function wrapRoot(path: string, code: string, file: string): { content: string } | { reason: string } {
  const editor = ModuleEditor.parse(path, code);
  if (!editor) return { reason: 'it has a syntax error' };
  const call = editor.findOnly((node) => isRender(node));
  if (!call) return { reason: 'it does not contain exactly one call to `render(<App />)`' };
  const [root] = call.node['arguments'] as [SyntaxNode];
  const element = findStrictModeChild(editor, root) ?? root;
  editor.addImport('{ Gatehouse }', editor.specifierOf(file, ''));
  editor.replace(element, wrap(editor, element));
  return { content: editor.toString() };
}

/** Returns true if a node calls `….render()` with an element. */
function isRender({ type, ...node }: SyntaxNode): boolean {
  if (type !== 'CallExpression') return false;
  const callee = node['callee'] as SyntaxNode;
  const property = callee['property'] as { name?: string } | undefined;
  const [argument] = node['arguments'] as SyntaxNode[];
  return property?.name === 'render' && argument !== undefined && isElement(argument);
}

/** Returns the only element in `<StrictMode>`, or undefined. `<StrictMode>` stays the outermost element. */
function findStrictModeChild(editor: ModuleEditor, root: SyntaxNode): SyntaxNode | undefined {
  const name =
    root['openingElement'] && editor.textOf((root['openingElement'] as SyntaxNode)['name'] as SyntaxNode);
  if (name !== 'StrictMode' && name !== 'React.StrictMode') return undefined;
  const children = (root['children'] as SyntaxNode[]).filter(
    (child) => child.type !== 'JSXText' || editor.textOf(child).trim() !== '',
  );
  return children.length === 1 && isElement(children[0]!) ? children[0] : undefined;
}

/** Returns the code of an element wrapped in `<Gatehouse>`, on separate lines. */
function wrap(editor: ModuleEditor, element: SyntaxNode): string {
  const text = editor.textOf(element);
  const indent = editor.indentAt(element.start);
  // Indenting the lines of a template literal would change its value.
  const shift = (spaces: string): string =>
    text.includes('`') ? text : text.replaceAll('\n', `\n${spaces}`);
  if (editor.startsLine(element.start))
    return `<Gatehouse>\n${indent}  ${shift('  ')}\n${indent}</Gatehouse>`;
  return `\n${indent}  <Gatehouse>\n${indent}    ${shift('    ')}\n${indent}  </Gatehouse>\n${indent}`;
}
