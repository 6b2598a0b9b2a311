import { apiFramework } from './api-framework.js';
import { CodePlanner, type CodePlan, type Framework } from './framework.js';
import { ModuleEditor, type SyntaxNode } from './module-editor.js';
import type { AppFolder } from './app-folder.js';

/** Express: a route for signed-in customers. */
export const express: Framework = {
  ...apiFramework,
  name: 'Express',
  detect: (folder) => folder.dependency('express') !== undefined,
  plan: planExpress,
};

interface App {
  path: string;
  editor: ModuleEditor;
  /** The declaration `const app = express();`. */
  declaration: SyntaxNode;
  /** The variable's name. */
  name: string;
}

function planExpress(folder: AppFolder): CodePlan {
  const planner = new CodePlanner(folder);
  const app = findApp(folder);
  const path = app?.path ?? (folder.isTypeScript ? 'app.ts' : 'app.js');
  const isEsModule = app ? app.editor.isEsModule : isTyped(path) || folder.manifest.type === 'module';
  const file = `gatehouse${extensionOf(path)}`;
  planner.create(path.slice(0, path.lastIndexOf('/') + 1) + file, routesFile(isTyped(path), isEsModule));
  const importLine = isEsModule
    ? `import { customerRoutes } from './gatehouse${compiledExtension(path)}';`
    : `const { customerRoutes } = require('./gatehouse');`;
  const lines = `${importLine}\n\napp.use(customerRoutes);`;
  if (app) planner.edit(path, './gatehouse', () => ({ content: useRoutes(app, file, folder) }), lines);
  else
    planner.explain(
      'the file that creates the app',
      'no file contains `const app = express();` exactly once',
      lines,
    );
  return planner.plan;
}

const isTyped = (path: string): boolean => /\.[cm]?ts$/.test(path);

const extensionOf = (path: string): string => /\.[cm]?[jt]s$/.exec(path)![0];

const compiledExtension = (path: string): string => extensionOf(path).replace('t', 'j');

/** Returns the file that creates the app, or null. */
function findApp(folder: AppFolder): App | null {
  const started = /\bnode\s+(?:--\S+\s+)*([\w./-]+\.[cm]?js)\b/.exec(
    folder.manifest.scripts?.['start'] ?? '',
  )?.[1];
  const names = ['app', 'server', 'index', 'main'].flatMap((name) =>
    ['js', 'mjs', 'cjs', 'ts', 'mts'].flatMap((extension) => [
      `${name}.${extension}`,
      `src/${name}.${extension}`,
    ]),
  );
  const candidates = [started, folder.manifest.main, ...names].map((path) => path?.replace(/^\.\//, ''));
  for (const path of new Set(candidates)) {
    const app = path ? readApp(path, folder.read(path)) : null;
    if (app) return app;
  }
  return null;
}

function readApp(path: string, code: string | null): App | null {
  const editor = code === null || !/\.[cm]?[jt]s$/.test(path) ? null : ModuleEditor.parse(path, code);
  const found = editor?.findOnly((node) => isApp(editor, node));
  const declaration = found?.ancestors[0];
  if (!editor || declaration?.type !== 'VariableDeclaration') return null;
  if ((declaration['declarations'] as unknown[]).length !== 1) return null;
  // `import express = require('express')`
  if (isTyped(path) && !editor.isEsModule) return null;
  return { path, editor, declaration, name: editor.textOf(found!.node['id'] as SyntaxNode) };
}

/** Returns true if a node is `app = express()` in a declaration. */
const isApp = (editor: ModuleEditor, node: SyntaxNode): boolean =>
  node.type === 'VariableDeclarator' &&
  (node['id'] as SyntaxNode).type === 'Identifier' &&
  node['init'] !== null &&
  editor.textOf(node['init'] as SyntaxNode) === 'express()';

/** Adds the routes before all others, so that no other handler sends a response first. */
function useRoutes({ editor, declaration, name }: App, file: string, folder: AppFolder): string {
  // Node.js requires file extensions in ES modules. Other TypeScript modules are bundled or compiled to `require()`.
  const needsExtension = editor.isEsModule && (!isTyped(file) || folder.manifest.type === 'module');
  const defaultExtension = needsExtension ? compiledExtension(file) : '';
  editor.addImport('{ customerRoutes }', editor.specifierOf(file, defaultExtension));
  const end = editor.textOf(declaration).endsWith(';') ? ';' : '';
  editor.insert(declaration.end, `\n${editor.indentAt(declaration.start)}${name}.use(customerRoutes)${end}`);
  return editor.toString();
}

/** Returns the content of `gatehouse.js`, as in docs/quick-starts/express.md. */
function routesFile(hasTypes: boolean, isEsModule: boolean): string {
  const assertion = hasTypes ? '!' : '';
  const load = (name: string, from: string): string =>
    isEsModule ? `import { ${name} } from '${from}';` : `const { ${name} } = require('${from}');`;
  return `${load('createServer', '@gatehouse/server')}
${load('Router', 'express')}
${load('existsSync', 'node:fs')}

// Variables that are already set take precedence.
if (existsSync('.env')) process.loadEnvFile();

const gatehouse = createServer({
  url: process.env.GATEHOUSE_URL${assertion},
  projectId: process.env.GATEHOUSE_PROJECT_ID${assertion},
});

/** The routes for signed-in customers. */
${isEsModule ? 'export ' : ''}const customerRoutes = Router();
customerRoutes.get('/orders', gatehouse.requireCustomer(), (req, res) => {
  res.json({ customerId: req.customer${assertion}.sub, orders: [] });
});
${isEsModule ? '' : '\nmodule.exports = { customerRoutes };\n'}`;
}
