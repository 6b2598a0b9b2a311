import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiFramework } from './api-framework.js';
import { findConflicts, planVariables } from './env-file.js';
import { planGitIgnore } from './git-ignore.js';
import { AppFolder } from './app-folder.js';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'gatehouse-init-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const folderWith = (files: Record<string, string>): AppFolder => {
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return new AppFolder(folder, {});
};

it('adds missing variables, keeps equal ones, and reports conflicts', () => {
  const app = folderWith({ '.env': '# Shop\nA=1\nexport B = "two"', '.env.local': 'C=3\n' });
  const variables = { A: '1', B: 'zwei', C: 'drei', D: '4' };
  expect(findConflicts(app, variables)).toEqual([
    { file: '.env', name: 'B', current: 'two', wanted: 'zwei' },
    { file: '.env.local', name: 'C', current: '3', wanted: 'drei' },
  ]);
  expect(planVariables(app, '.env', variables)).toEqual([
    { path: '.env', action: 'change', content: '# Shop\nA=1\nB=zwei\nD=4\n' },
    { path: '.env.local', action: 'change', content: 'C=drei\n' },
  ]);
  expect(planVariables(app, '.env', { A: '1' })).toEqual([]);
});

it.each([
  ['.env', null, '.env\n'],
  ['.env', 'node_modules', 'node_modules\n.env\n'],
  ['.env', '*.local\n', '*.local\n.env\n'],
  ['.env', 'node_modules\n.env\n', null],
  ['.env', '/.env\n', null],
  ['.env.local', '.env*\n', null],
  ['.env.local', '*.local\n', null],
  ['.env.local', '.env\n', '.env\n.env.local\n'],
])('adds %s to the .gitignore %j unless it is already ignored', (file, ignored, expected) => {
  const app = folderWith(ignored === null ? {} : { '.gitignore': ignored });
  expect(planGitIgnore(app, file)?.content ?? null).toBe(expected);
});

it.each([
  ['http://127.0.0.1:3000', 'process.env.PORT', '', '4000'],
  ['http://localhost:3000', "process.env['PORT']", '', '4000'],
  ['http://localhost:3000', 'process.env.PORT', 'PORT=5000', undefined],
  ['http://localhost:3000', 'listen(3000)', '', undefined],
  ['https://auth.example.com', 'process.env.PORT', '', undefined],
])(
  "chooses the server's port, with Gatehouse at %s, %s in the code and %j in .env: %s",
  (url, code, env, port) => {
    const app = folderWith({ 'app.js': code, '.env': env });
    const connection = { url, projectId: 'project', publishableKey: 'pk_' };
    expect(apiFramework.variables(connection, app)['PORT']).toBe(port);
  },
);
