import type { AppFolder } from './app-folder.js';

/** The values for `--framework`. */
export const frameworkNames = ['nextjs', 'nestjs', 'vite', 'express'] as const;
export type FrameworkName = (typeof frameworkNames)[number];

/** A file that `init` creates or changes. */
export interface FileChange {
  /** Relative to the app's folder. */
  path: string;
  action: 'create' | 'change';
  content: string;
}

/** A step that is left to the developer. */
export interface ManualStep {
  /** The file, or its description. */
  subject: string;
  /** Completes "because …". */
  reason: string;
  /** The exact lines to add. */
  lines: string[];
}

/** The changes to an app's code, and the steps that are left to the developer. */
export interface CodePlan {
  changes: FileChange[];
  manualSteps: ManualStep[];
}

/** The values that the generated code reads from the environment. */
export interface Connection {
  url: string;
  /** Empty only if the framework does not need it. */
  projectId: string;
  publishableKey: string;
}

export interface NextStepsContext {
  folder: AppFolder;
  connection: Connection;
  /** Returns the command that runs a package.json script, such as `npm run dev`. */
  runScript: (name: string) => string;
}

export interface Framework {
  /** The name in messages. */
  name: string;
  /** The packages that the code imports. */
  packages: string[];
  /** The file for the settings. */
  envFile: '.env' | '.env.local';
  /** True if the code reads the project's id. */
  needsProject: boolean;
  urlVariable: string;
  publishableKeyVariable: string;
  /** Returns the development origin of pages that call Gatehouse directly, or null if only a server calls it. */
  pageOrigin: (folder: AppFolder) => string | null;
  /** Returns true if an app uses the framework. */
  detect: (folder: AppFolder) => boolean;
  /** Returns the environment variables. */
  variables: (connection: Connection, folder: AppFolder) => Record<string, string>;
  /** Returns the code changes. @throws CliError if the app cannot use the framework's package */
  plan: (folder: AppFolder) => CodePlan;
  /** Returns the developer's next steps, line by line. */
  nextSteps: (context: NextStepsContext) => string[];
}

/** Collects the changes to an app's code. */
export class CodePlanner {
  readonly plan: CodePlan = { changes: [], manualSteps: [] };

  constructor(private readonly folder: AppFolder) {}

  /** Creates a file. Leaves the step to the developer if the file already exists and does not use Gatehouse. */
  create(path: string, content: string): void {
    const existing = this.folder.read(path);
    if (existing === null) this.plan.changes.push({ path, action: 'create', content });
    else if (!existing.includes('@gatehouse/')) this.explain(path, 'it already exists', content);
  }

  /**
   * Changes a file.
   * @param marker string that the file contains once it has been changed
   * @param edit returns the new content, or the reason why the file cannot be changed safely
   * @param lines the lines for the developer to add instead
   */
  edit(
    path: string,
    marker: string,
    edit: (code: string) => { content: string } | { reason: string },
    lines: string,
  ): void {
    const code = this.folder.read(path) ?? '';
    if (code.includes(marker)) return;
    const result = edit(code);
    if ('content' in result) this.plan.changes.push({ path, action: 'change', content: result.content });
    else this.explain(path, result.reason, lines);
  }

  /** Leaves a step to the developer. */
  explain(subject: string, reason: string, lines: string): void {
    this.plan.manualSteps.push({ subject, reason, lines: lines.trimEnd().split('\n') });
  }
}
