import fs from 'node:fs';
import path from 'node:path';
import { ensureBuilt, ensureInstalled } from './build.mjs';
import { Fault, main, root } from './environment.mjs';
import { openApiDocuments } from './openapi-document.mjs';

const NOTE = 'Made by "npm run generate"; do not edit.';

await main(async () => {
  await ensureInstalled(process.stderr);
  await ensureBuilt(process.stderr);
  const made = await makeFiles();
  const outdated = Object.entries(made).filter(([name, text]) => read(name) !== text);
  if (process.argv.includes('--check')) {
    if (outdated.length === 0) return;
    throw new Fault(`Out of date: ${outdated.map(([name]) => name).join(', ')}. Run: npm run generate`);
  }
  for (const [name, text] of outdated) {
    fs.writeFileSync(path.join(root, name), text);
    console.log(`wrote ${name}`);
  }
});

/** @returns {Promise<Record<string, string>>} the text of every generated file, by its path */
async function makeFiles() {
  const { settings } = await import('../dist/libs/platform/src/index.js');
  const { errorCatalogue, eventExamples, eventsSchema, eventTypes } =
    await import('../dist/libs/domain/src/index.js');
  const openApi = await openApiDocuments();
  return {
    '.env.example': envExample(settings),
    'docs/errors.md': await pretty('docs/errors.md', errorsPage(errorCatalogue)),
    'docs/events.md': await pretty('docs/events.md', eventsPage(eventTypes, eventExamples)),
    'docs/events.schema.json': await pretty('docs/events.schema.json', JSON.stringify(eventsSchema)),
    'docs/openapi.json': await pretty('docs/openapi.json', JSON.stringify(openApi.public)),
    'docs/operator-openapi.json': await pretty(
      'docs/operator-openapi.json',
      JSON.stringify(openApi.operator),
    ),
  };
}

function envExample(settings) {
  const head = [
    `# ${NOTE}`,
    '#',
    '# Every setting of Gatehouse with its default. Copy this file to .env, remove the # before a line and change',
    '# its value. Variables of the real environment win over .env.',
  ].join('\n');
  const entries = Object.entries(settings).map(([name, setting]) => {
    const doc = wrap(setting.doc, 108).map((line) => `# ${line}`);
    if (isValue(setting)) return [...doc, `# ${name}=${quoted(setting.shown)}`].join('\n');
    return [...doc, `# Default: ${setting.shown}.`, `# ${name}=`].join('\n');
  });
  return `${[head, ...entries].join('\n\n')}\n`;
}

/** Whether what is shown can stand as the value; otherwise it describes a default that differs by machine. */
function isValue({ shown, parse }) {
  if (shown === '') return true;
  try {
    parse(shown);
    return true;
  } catch {
    return false;
  }
}

function quoted(value) {
  return /\s/.test(value) ? `"${value}"` : value;
}

function wrap(text, width) {
  const lines = [''];
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (longer.length > width) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

function errorsPage(errorCatalogue) {
  const rows = Object.entries(errorCatalogue).map(([code, { status, title, cause, remedy }]) =>
    row(status, `<a id="${code}"></a>\`${code}\``, escape(title), escape(cause), escape(remedy)),
  );
  return `<!-- ${NOTE} -->

# Errors

Every error is answered as \`application/problem+json\` (RFC 9457): \`type\`, \`title\`, \`status\`, \`detail\`, \`code\`
and \`requestId\`, for some codes more members, and \`"success": false\` under \`/v1\`. \`code\` is one of these; the list
is closed. A running api shows the same list at \`/docs/errors\`, where \`type\` leads.

${row('Status', 'Code', 'Title', 'Cause', 'Remedy')}
${row(':--', ':--', ':--', ':--', ':--')}
${rows.join('\n')}
`;
}

function eventsPage(eventTypes, eventExamples) {
  const types = Object.entries(eventTypes).map(([type, { cause, named }]) => ({
    type,
    cause: escape(cause),
    example: JSON.stringify(eventExamples[type], null, 2),
    wildcards: `\`${type.split('.')[0]}.*\`${named ? ', not `*`' : ' and `*`'}`,
  }));
  const rows = types.map(({ type, cause }) => row(`[\`${type}\`](#${type.replace('.', '')})`, cause));
  const sections = types.map(
    ({ type, cause, example, wildcards }) => `## ${type}

Emitted when ${cause}. Part of ${wildcards}.

\`\`\`json
${example}
\`\`\`
`,
  );
  return `<!-- ${NOTE} -->

# Event types

What a webhook endpoint can list in \`events\`: a type of this page, all types of a noun such as \`customer.*\`, or
\`*\`. \`*\` stands for all types but those that say otherwise.

Every body has the members that the examples show. \`data\` holds resources as a secret key's GET returns them, as
they were right after the change. Later versions may add types and members and take none away, so let through what
you do not know. [events.schema.json](events.schema.json) is a JSON Schema (2020-12) of all bodies, from which types
can be generated.

Once a customer is deleted, \`GET /v1/events\` and the log of deliveries show the events about them erased: with
\`"erased": true\`, and of \`data\` the customer's id alone. No webhook carries such a body.

${row('Type', 'Emitted when')}
${row(':--', ':--')}
${rows.join('\n')}

${sections.join('\n')}`;
}

function row(...cells) {
  return `| ${cells.join(' | ')} |`;
}

function escape(text) {
  return text.replace(/[\\_*|<[`]/g, '\\$&');
}

/** As "npm run format" would leave it. */
async function pretty(name, text) {
  const { format, resolveConfig } = await import('prettier');
  const filepath = path.join(root, name);
  return format(text, { ...(await resolveConfig(filepath)), filepath });
}

function read(name) {
  const file = path.join(root, name);
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined;
}
