import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { express } from './express.js';
import type { CodePlan, Framework } from './framework.js';
import { nestjs } from './nestjs.js';
import { nextjs } from './nextjs.js';
import { AppFolder } from './app-folder.js';
import { vite } from './vite.js';

const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

function createFolder(files: Record<string, string>, manifest: object = {}): AppFolder {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-init-'));
  folders.push(folder);
  for (const [path, content] of Object.entries({ 'package.json': JSON.stringify(manifest), ...files })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return AppFolder.read(folder)!;
}

const changed = ({ changes }: CodePlan, path: string): string | undefined =>
  changes.find((each) => each.path === path)?.content;

/** Applies a plan, and returns the plan of a second run. */
function planAgain(framework: Framework, folder: AppFolder): CodePlan {
  for (const { path, content } of framework.plan(folder).changes) {
    mkdirSync(dirname(join(folder.path, path)), { recursive: true });
    writeFileSync(join(folder.path, path), content);
  }
  return framework.plan(folder);
}

const NOTHING: CodePlan = { changes: [], manualSteps: [] };

describe('Vite with React', () => {
  const index = (entry = '/src/main.tsx') => `<script type="module" src="${entry}"></script>`;
  const planEntry = (code: string, entry = 'src/main.tsx'): CodePlan =>
    vite.plan(createFolder({ 'index.html': index(`/${entry}`), [entry]: code }));

  it.each([
    [
      'an app in StrictMode',
      `import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import './index.css'
import App from './App.tsx'

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
`,
      `import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import './index.css'
import App from './App.tsx'
import { Gatehouse } from './gatehouse.tsx'

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <Gatehouse>
      <App />
    </Gatehouse>
  </StrictMode>,
)
`,
    ],
    [
      'an app in another provider, with a commented-out call',
      `import ReactDOM from "react-dom/client";
import App from "./App";
// root.render(<App />)
const root = ReactDOM.createRoot(document.getElementById("root")!);
root.render(
  <Theme>
    <App />
  </Theme>
);
`,
      `import ReactDOM from "react-dom/client";
import App from "./App";
import { Gatehouse } from "./gatehouse";
// root.render(<App />)
const root = ReactDOM.createRoot(document.getElementById("root")!);
root.render(
  <Gatehouse>
    <Theme>
      <App />
    </Theme>
  </Gatehouse>
);
`,
    ],
    [
      'a call on one line',
      `import { createRoot } from 'react-dom/client';
createRoot(document.getElementById('root')!).render(<App />);
`,
      `import { createRoot } from 'react-dom/client';
import { Gatehouse } from './gatehouse';
createRoot(document.getElementById('root')!).render(
  <Gatehouse>
    <App />
  </Gatehouse>
);
`,
    ],
  ])('renders the app inside Gatehouse: %s', (_, code, expected) => {
    const plan = planEntry(code);
    expect(changed(plan, 'src/main.tsx')).toBe(expected);
    expect(changed(plan, 'src/gatehouse.tsx')).toContain('children: ReactNode');
    expect(plan.manualSteps).toEqual([]);
  });

  it('writes JavaScript into a JavaScript app', () => {
    const plan = planEntry(`import App from './App.jsx'\nroot.render(<App />)\n`, 'main.jsx');
    expect(changed(plan, 'main.jsx')).toContain(`import { Gatehouse } from './gatehouse.jsx'\n`);
    expect(changed(plan, 'gatehouse.jsx')).not.toContain('ReactNode');
  });

  it.each([
    ['a syntax error', 'root.render(<App />', 'syntax error'],
    ['several roots', 'a.render(<App />); b.render(<App />);', 'exactly one call'],
    ['no element', 'root.render(app);', 'exactly one call'],
  ])('leaves a file with %s unchanged and returns the lines to add', (_, code, reason) => {
    const { changes, manualSteps } = planEntry(code);
    expect(changes.map(({ path }) => path)).toEqual(['src/gatehouse.tsx']);
    expect(manualSteps).toMatchObject([{ subject: 'src/main.tsx', reason: expect.stringContaining(reason) }]);
    expect(manualSteps[0]!.lines).toContain('<Gatehouse>');
  });

  it('plans no changes in a second run', () => {
    const files = { 'index.html': index(), 'src/main.tsx': 'root.render(<App />);' };
    expect(planAgain(vite, createFolder(files))).toEqual(NOTHING);
  });
});

describe('Next.js', () => {
  const manifest = { dependencies: { next: '16.4.3' } };
  const LAYOUT = `import type { Metadata } from "next";
import "./globals.css";

export const metadata: Metadata = { title: "Create Next App" };

export default function RootLayout({ children }: LayoutProps<"/">) {
  return (
    <html lang="en">
      <body className="antialiased">{children}</body>
    </html>
  );
}
`;

  it.each(['app', 'src/app'])(
    'adds the files for the App Router in %s, and provides the session in the layout',
    (app) => {
      const plan = nextjs.plan(createFolder({ [`${app}/layout.tsx`]: LAYOUT }, manifest));
      const root = app.slice(0, -'app'.length);
      expect(plan.changes.map(({ path, action }) => `${action} ${path}`)).toEqual([
        `create ${root}proxy.ts`,
        `create ${app}/api/gatehouse/[...path]/route.ts`,
        `create ${app}/sign-in/page.tsx`,
        `create ${app}/account.tsx`,
        `create ${app}/orders/page.tsx`,
        `change ${app}/layout.tsx`,
      ]);
      expect(changed(plan, `${app}/layout.tsx`)).toBe(
        LAYOUT.replace(
          '"./globals.css";',
          `"./globals.css";
import { GatehouseProvider } from "@gatehouse/nextjs";
import "@gatehouse/react/styles.css";`,
        ).replace('{children}</body>', '<GatehouseProvider>{children}</GatehouseProvider></body>'),
      );
      expect(plan.manualSteps).toEqual([]);
    },
  );

  it.each([
    ['a client component', `'use client';\n${LAYOUT}`, 'client component'],
    ['children in two places', LAYOUT.replace('{children}', '{children}{children}'), 'exactly once'],
    ['no children', LAYOUT.replace('{children}', ''), 'exactly once'],
  ])('leaves a layout with %s unchanged and returns the lines to add', (_, layout, reason) => {
    const { changes, manualSteps } = nextjs.plan(createFolder({ 'app/layout.tsx': layout }, manifest));
    expect(changes.some(({ path }) => path === 'app/layout.tsx')).toBe(false);
    expect(manualSteps).toMatchObject([
      { subject: 'app/layout.tsx', reason: expect.stringContaining(reason) },
    ]);
    expect(manualSteps[0]!.lines).toContain('<GatehouseProvider>{children}</GatehouseProvider>');
  });

  it('makes pages wait for the session in an app with Cache Components', () => {
    const config = 'export default { cacheComponents: true };';
    const plan = nextjs.plan(createFolder({ 'app/layout.tsx': LAYOUT, 'next.config.ts': config }, manifest));
    expect(changed(plan, 'app/layout.tsx')).toContain(
      `styles.css";\n\n// The provider reads the request's session.\nexport const instant = false;\n\nexport const metadata`,
    );
  });

  it("leaves the developer's files unchanged", () => {
    const files = {
      'app/layout.tsx': LAYOUT,
      'middleware.ts': 'export {};',
      'app/sign-in/page.tsx': '// mine',
    };
    const { manualSteps } = nextjs.plan(createFolder(files, manifest));
    expect(manualSteps.map(({ subject }) => subject)).toEqual(['middleware.ts', 'app/sign-in/page.tsx']);
  });

  it('writes JavaScript next to a JavaScript layout', () => {
    const plan = nextjs.plan(
      createFolder({ 'app/layout.js': LAYOUT.replace(/: \w+(<[^>]*>)?/g, '') }, manifest),
    );
    expect(plan.changes.every(({ path }) => path.endsWith('.js'))).toBe(true);
  });

  it('requires Next.js 16 and the App Router', () => {
    const old = createFolder({ 'app/layout.tsx': LAYOUT }, { dependencies: { next: '^15.1.0' } });
    expect(() => nextjs.plan(old)).toThrow('requires Next.js 16, and this app has 15');
    expect(() => nextjs.plan(createFolder({ 'pages/index.tsx': '' }, manifest))).toThrow('App Router');
  });

  it('plans no changes in a second run', () =>
    expect(planAgain(nextjs, createFolder({ 'app/layout.tsx': LAYOUT }, manifest))).toEqual(NOTHING));
});

describe('Express', () => {
  it.each([
    [
      'CommonJS',
      'app.js',
      {},
      `var express = require('express');\nvar index = require('./routes/index');\n\nvar app = express();\n\napp.use(index);\n`,
      `var express = require('express');\nvar index = require('./routes/index');\nvar { customerRoutes } = require('./gatehouse');\n\nvar app = express();\napp.use(customerRoutes);\n\napp.use(index);\n`,
      'gatehouse.js',
    ],
    [
      'ES modules',
      'server.mjs',
      { scripts: { start: 'node --env-file=.env server.mjs' } },
      `import express from 'express'\n\nconst server = express()\nserver.listen(3000)\n`,
      `import express from 'express'\nimport { customerRoutes } from './gatehouse.mjs'\n\nconst server = express()\nserver.use(customerRoutes)\nserver.listen(3000)\n`,
      'gatehouse.mjs',
    ],
    [
      'TypeScript',
      'src/index.ts',
      { type: 'module', main: 'dist/index.js' },
      `import express from 'express';\n\nexport function createApp() {\n  const app = express();\n  return app;\n}\n`,
      `import express from 'express';\nimport { customerRoutes } from './gatehouse.js';\n\nexport function createApp() {\n  const app = express();\n  app.use(customerRoutes);\n  return app;\n}\n`,
      'src/gatehouse.ts',
    ],
  ])('adds the routes to an app in %s', (_, path, manifest, code, expected, file) => {
    const folder = createFolder({ [path]: code }, manifest);
    const plan = express.plan(folder);
    expect(changed(plan, path)).toBe(expected);
    const routes = changed(plan, file)!;
    expect(routes.includes('require(')).toBe(code.includes('require('));
    expect(routes.includes('req.customer!')).toBe(file.endsWith('.ts'));
    expect(planAgain(express, folder)).toEqual(NOTHING);
  });

  it.each([
    ['several apps', 'const a = express(); const b = express();'],
    ['no declaration', 'listen(express());'],
    ['a syntax error', 'const app = express(;'],
  ])('leaves a file with %s unchanged and returns the lines to add', (_, code) => {
    const { changes, manualSteps } = express.plan(createFolder({ 'app.js': code }));
    expect(changes.map(({ path }) => path)).toEqual(['gatehouse.js']);
    expect(manualSteps[0]!.lines).toContain('app.use(customerRoutes);');
  });
});

describe('NestJS', () => {
  const module = (options: string, extension = '') => `import { Module } from '@nestjs/common';
import { AppController } from './app.controller${extension}';

@Module({
${options}
})
export class AppModule {}
`;
  const create = (code: string) => createFolder({ 'tsconfig.json': '{}', 'src/app.module.ts': code });
  const planModule = (code: string) => nestjs.plan(create(code));

  it.each([
    ['an empty list', '  imports: [],', '  imports: [CustomerRoutesModule],'],
    ['a list on one line', '  imports: [A, B],', '  imports: [A, B, CustomerRoutesModule],'],
    [
      'a list on several lines',
      '  imports: [\n    A,\n    B.forRoot({ a: 1 }),\n  ],',
      '  imports: [\n    A,\n    B.forRoot({ a: 1 }),\n    CustomerRoutesModule,\n  ],',
    ],
    [
      'options without a list',
      '  controllers: [AppController],',
      '  imports: [CustomerRoutesModule],\n  controllers: [AppController],',
    ],
  ])('adds the module to the imports: %s', (_, options, expected) => {
    const plan = planModule(module(options));
    const result = module(expected).replace(
      `./app.controller';`,
      `./app.controller';\nimport { CustomerRoutesModule } from './gatehouse.module';`,
    );
    expect(changed(plan, 'src/app.module.ts')).toBe(result);
    expect(plan.manualSteps).toEqual([]);
  });

  it('adds a file extension if the other imports have one', () => {
    const plan = planModule(module('  imports: [],', '.js'));
    expect(changed(plan, 'src/app.module.ts')).toContain(`from './gatehouse.module.js';`);
  });

  it.each([
    ['a list that is a variable', module('  imports: modules,')],
    ['options that are a variable', `import { Module } from '@nestjs/common';\n@Module(options) class A {}`],
    ['two modules', module('imports: []') + module('imports: []').replace('AppModule', 'OtherModule')],
  ])('leaves %s unchanged and returns the lines to add', (_, code) => {
    const { changes, manualSteps } = planModule(code);
    expect(changes.map(({ path }) => path)).toEqual(['src/gatehouse.module.ts']);
    expect(manualSteps[0]!.lines).toContain('  imports: [CustomerRoutesModule],');
  });

  it('plans no changes in a second run', () =>
    expect(planAgain(nestjs, create(module('  imports: [],')))).toEqual(NOTHING));
});
