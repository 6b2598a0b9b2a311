import { parse, type ParserOptions } from '@babel/parser';

/** A syntax tree node with its position in the code. */
export interface SyntaxNode {
  type: string;
  start: number;
  end: number;
  [property: string]: unknown;
}

type Program = SyntaxNode & { body: SyntaxNode[]; directives: SyntaxNode[] };

/** An imported file that is not a module. */
const ASSET = /\.(?:css|scss|sass|less|styl|svg|png|jpe?g|gif|webp|avif|ico|json|mdx?|txt|wasm)(?:\?.*)?$/;

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && typeof (value as SyntaxNode).type === 'string';

/**
 * Edits a JavaScript or TypeScript module. It changes the text only at positions that the parser finds, so all other
 * characters stay unchanged.
 */
export class ModuleEditor {
  private readonly edits: { start: number; end: number; text: string }[] = [];

  private constructor(
    readonly code: string,
    private readonly program: Program,
  ) {}

  /** Returns an editor, or null if the code has a syntax error. @param path its extension selects the syntax */
  static parse(path: string, code: string): ModuleEditor | null {
    const plugins: ParserOptions['plugins'] = ['decorators-legacy'];
    if (/\.[cm]?tsx?$/.test(path)) plugins.push('typescript');
    if (!/\.[cm]?ts$/.test(path)) plugins.push('jsx');
    try {
      const { program } = parse(code, { sourceType: 'unambiguous', plugins });
      return new ModuleEditor(code, program as unknown as Program);
    } catch {
      return null;
    }
  }

  /** True if the module uses `import`, and not `require()`. */
  get isEsModule(): boolean {
    return this.program['sourceType'] === 'module';
  }

  /** Returns true if the module begins with a directive such as 'use client'. */
  hasDirective(text: string): boolean {
    return this.program.directives.some((each) => (each['value'] as { value?: string }).value === text);
  }

  /** Returns all nodes that match, each with its ancestors, the nearest first. */
  findAll(matches: (node: SyntaxNode) => boolean): { node: SyntaxNode; ancestors: SyntaxNode[] }[] {
    const found: { node: SyntaxNode; ancestors: SyntaxNode[] }[] = [];
    const visit = (node: SyntaxNode, ancestors: SyntaxNode[]): void => {
      if (matches(node)) found.push({ node, ancestors });
      for (const value of Object.values(node))
        for (const each of Array.isArray(value) ? value : [value])
          if (isNode(each)) visit(each, [node, ...ancestors]);
    };
    visit(this.program, []);
    return found;
  }

  /** Returns the node that matches; null unless exactly one does. */
  findOnly(matches: (node: SyntaxNode) => boolean): { node: SyntaxNode; ancestors: SyntaxNode[] } | null {
    const found = this.findAll(matches);
    return found.length === 1 ? found[0]! : null;
  }

  textOf({ start, end }: SyntaxNode): string {
    return this.code.slice(start, end);
  }

  /** Returns the indentation of the line that contains a position. */
  indentAt(position: number): string {
    const line = this.code.slice(this.code.lastIndexOf('\n', position - 1) + 1, position);
    return /^\s*/.exec(line)![0];
  }

  /** Returns true if only whitespace precedes a position in its line. */
  startsLine(position: number): boolean {
    return /(?:^|\n)[ \t]*$/.test(this.code.slice(0, position));
  }

  insert(at: number, text: string): void {
    this.edits.push({ start: at, end: at, text });
  }

  replace({ start, end }: SyntaxNode, text: string): void {
    this.edits.push({ start, end, text });
  }

  /**
   * Returns the import specifier for a file in the same folder, with a file extension if the module's other imports
   * have one.
   * @param path the file, such as `gatehouse.tsx`
   * @param defaultExtension the extension if the module imports no other file
   */
  specifierOf(path: string, defaultExtension: string): string {
    const [, name, extension] = /^(.*?)(\.[cm]?[jt]sx?)$/.exec(path)!;
    const compiled = extension!.includes('t') ? extension!.replace('t', 'j').replace('x', '') : extension!;
    const extensions = this.relativeImports().map((each) => /\.[cm]?[jt]sx?$/.exec(each)?.[0] ?? '');
    if (extensions.length === 0) return `./${name}${defaultExtension}`;
    const known = [extension!, compiled].find((each) => extensions.includes(each));
    const isTyped = extensions.some((each) => each.includes('t'));
    return `./${name}${known ?? (extensions.every((each) => each === '') ? '' : isTyped ? extension : compiled)}`;
  }

  /** Returns the relative import specifiers, without assets such as style sheets and images. */
  private relativeImports(): string[] {
    return this.imports()
      .map((node) => /['"](\.{1,2}\/[^'"]+)['"]\)?;?$/.exec(this.textOf(node))?.[1] ?? '')
      .filter((name) => name !== '' && !ASSET.test(name));
  }

  /** Returns the import declarations, or the declarations that call `require()`, at the top of the module. */
  private imports(): SyntaxNode[] {
    return this.program.body.filter(
      (node) =>
        node.type === 'ImportDeclaration' ||
        (!this.isEsModule && node.type === 'VariableDeclaration' && /\brequire\(/.test(this.textOf(node))),
    );
  }

  /**
   * Adds an import after the last one, with the same quotes, semicolons and keyword.
   * @param names such as `{ orders }`, or an empty string for a style sheet
   */
  addImport(names: string, specifier: string): void {
    const last = this.imports().at(-1);
    const lastText = last ? this.textOf(last) : '';
    const quote = /(['"])[^'"]*\1\)?;?$/.exec(lastText)?.[1] ?? "'";
    const end = last && !lastText.endsWith(';') ? '' : ';';
    const source = `${quote}${specifier}${quote}`;
    const keyword = /^(?:var|let|const)\b/.exec(lastText)?.[0] ?? 'const';
    const line = this.isEsModule
      ? `import ${names && `${names} from `}${source}${end}`
      : `${keyword} ${names} = require(${source})${end}`;
    if (last) this.insert(last.end, `\n${line}`);
    else this.insert(this.program.body[0]?.start ?? this.code.length, `${line}\n`);
  }

  /** Inserts text after the last import, including imports that `addImport` has added. */
  insertAfterImports(text: string): void {
    this.insert(this.imports().at(-1)?.end ?? this.program.body[0]?.start ?? 0, text);
  }

  /** Returns the code with all changes. */
  toString(): string {
    let result = '';
    let position = 0;
    for (const { start, end, text } of [...this.edits].sort((a, b) => a.start - b.start)) {
      result += this.code.slice(position, start) + text;
      position = end;
    }
    return result + this.code.slice(position);
  }
}
