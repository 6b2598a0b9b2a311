import { CliError } from '../../cli-error.js';
import { apiFramework } from './api-framework.js';
import { CodePlanner, type CodePlan, type Framework } from './framework.js';
import { ModuleEditor, type SyntaxNode } from './module-editor.js';
import type { AppFolder } from './app-folder.js';

const APP_MODULE = 'src/app.module.ts';
const MODULE_LINES = `import { CustomerRoutesModule } from './gatehouse.module';

@Module({
  imports: [CustomerRoutesModule],
})`;

/** NestJS: a module with a route for signed-in customers. */
export const nestjs: Framework = {
  ...apiFramework,
  name: 'NestJS',
  detect: (folder) => folder.dependency('@nestjs/core') !== undefined,
  plan: planNestjs,
};

function planNestjs(folder: AppFolder): CodePlan {
  if (!folder.isTypeScript)
    throw new CliError('init supports NestJS in TypeScript only, and this app has no tsconfig.json.');
  const planner = new CodePlanner(folder);
  planner.create('src/gatehouse.module.ts', GATEHOUSE_MODULE);
  if (folder.exists(APP_MODULE)) {
    const defaultExtension = folder.manifest.type === 'module' ? '.js' : '';
    const edit = (code: string) => importModule(code, defaultExtension);
    planner.edit(APP_MODULE, './gatehouse.module', edit, MODULE_LINES);
  } else planner.explain('the module of the app', `${APP_MODULE} does not exist`, MODULE_LINES);
  return planner.plan;
}

/** Adds the module to the imports in the file's only module. */
function importModule(code: string, defaultExtension: string): { content: string } | { reason: string } {
  const editor = ModuleEditor.parse(APP_MODULE, code);
  if (!editor) return { reason: 'it has a syntax error' };
  const decorator = editor.findOnly(
    (node) => node.type === 'Decorator' && /^@Module\(\s*\{/.test(editor.textOf(node)),
  );
  const call = decorator?.node['expression'] as SyntaxNode | undefined;
  const [options] = (call?.['arguments'] ?? []) as SyntaxNode[];
  if (!options) return { reason: 'it does not contain exactly one `@Module({ … })`' };
  const imports = (options['properties'] as SyntaxNode[]).find(
    (property) => (property['key'] as { name?: string } | undefined)?.name === 'imports',
  );
  if (!imports)
    editor.insert(
      options.start + 1,
      `\n${editor.indentAt(decorator!.node.start)}  imports: [CustomerRoutesModule],`,
    );
  else if (!addElement(editor, imports['value'] as SyntaxNode))
    return { reason: 'its `imports` are not a list' };
  editor.addImport('{ CustomerRoutesModule }', editor.specifierOf('gatehouse.module.ts', defaultExtension));
  return { content: editor.toString() };
}

/** Adds the module to a list. @returns false if the node is not a list */
function addElement(editor: ModuleEditor, list: SyntaxNode | undefined): boolean {
  if (list?.type !== 'ArrayExpression') return false;
  const last = (list['elements'] as (SyntaxNode | null)[]).at(-1);
  if (!last) editor.insert(list.start + 1, 'CustomerRoutesModule');
  else if (editor.startsLine(last.start))
    editor.insert(last.end, `,\n${editor.indentAt(last.start)}CustomerRoutesModule`);
  else editor.insert(last.end, ', CustomerRoutesModule');
  return true;
}

/** The content of `gatehouse.module.ts`, as in docs/quick-starts/nestjs.md. */
const GATEHOUSE_MODULE = `import type { AccessTokenClaims } from '@gatehouse/server';
import { Customer, CustomerGuard, GatehouseModule } from '@gatehouse/server/nestjs';
import { Controller, Get, Module, UseGuards } from '@nestjs/common';
import { existsSync } from 'node:fs';

// Variables that are already set take precedence.
if (existsSync('.env')) process.loadEnvFile();

@Controller()
@UseGuards(CustomerGuard)
class OrdersController {
  @Get('orders')
  list(@Customer() customer: AccessTokenClaims) {
    return { customerId: customer.sub, orders: [] };
  }
}

@Module({
  imports: [
    GatehouseModule.forRoot({
      url: process.env['GATEHOUSE_URL']!,
      projectId: process.env['GATEHOUSE_PROJECT_ID']!,
    }),
  ],
  controllers: [OrdersController],
})
export class CustomerRoutesModule {}
`;
