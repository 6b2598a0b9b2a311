import fs from 'node:fs';
import path from 'node:path';
import { lintSource } from '@secretlint/core';
import { creator as recommendedRules } from '@secretlint/secretlint-rule-preset-recommend';

/** Folders and files that git ignores. */
const IGNORED = /^(\.git|node_modules|dist|\.data|\.screenshots|\.env|.+\.log)$/;

const BINARY = ['.gz', '.png'];

/** Files with values in the format of Gatehouse secrets, and why they are not secrets. */
const EXCEPTIONS = {
  'libs/domain/src/api-keys/key-format.spec.ts': 'examples of the format, which no installation has issued',
  'libs/platform/src/crypto/webhook-signature.spec.ts': 'the example of the Standard Webhooks specification',
};

/** The manifests of upgrade fixtures: keys for the database in the same folder, which only tests use. */
const FIXTURES = /^test\/upgrade\/\d+\.\d+\.\d+\.json$/;

/** Rules for URLs with passwords, which tests contain as examples. */
const URL_RULES = /-(basicauth|database-connection-string)$/;

/** Example secrets in the documentation, which no installation issued: base64 of "the secret of your receiver". */
const DOCUMENTED_EXAMPLES = ['whsec_dGhlIHNlY3JldCBvZiB5b3VyIHJlY2VpdmVy'];

/** The formats of the secrets that Gatehouse issues. */
const GATEHOUSE_SECRETS = {
  'an API key': /(?<![0-9A-Za-z_])[sp]k_[0-9A-Za-z]{49}(?![0-9A-Za-z])/g,
  'a webhook secret': /(?<![0-9A-Za-z_])whsec_[0-9A-Za-z+/]{24,}=*/g,
};

/**
 * A secretlint rule that finds secrets issued by Gatehouse. Its messages do not contain values, because secretlint
 * would mask them.
 */
const gatehouseRule = {
  meta: { id: 'gatehouse', type: 'scanner', recommended: true, supportedContentTypes: ['text'] },
  messages: Object.fromEntries(
    Object.keys(GATEHOUSE_SECRETS).map((what) => [what, { en: () => `found ${what} of Gatehouse` }]),
  ),
  create: (context) => ({
    file({ content }) {
      const translate = context.createTranslator(gatehouseRule.messages);
      for (const [what, format] of Object.entries(GATEHOUSE_SECRETS))
        for (const { index, 0: value } of content.matchAll(format)) {
          if (DOCUMENTED_EXAMPLES.includes(value)) continue;
          context.report({ message: translate(what), range: [index, index + value.length] });
        }
    },
  }),
};

const config = {
  rules: [
    { id: '@secretlint/secretlint-rule-preset-recommend', rule: recommendedRules },
    { id: 'gatehouse', rule: gatehouseRule },
  ],
};

/**
 * Scans text files for secrets (requirement SC-03).
 * @param {string} folder the repository folder
 * @returns {Promise<string[]>} one problem for each secret, without the value
 */
export async function findSecrets(folder) {
  // Joins all files into one source, because secretlint takes seconds of CPU time to profile many sources.
  let content = '';
  const files = listFiles(folder).map((name) => {
    const start = content.length;
    content += `${fs.readFileSync(path.join(folder, name), 'utf8')}\n`;
    return { name, start };
  });
  const source = { filePath: 'all', content, ext: '', contentType: 'text' };
  const { messages } = await lintSource({ source, options: { config, maskSecrets: true } });
  return messages.flatMap(({ range: [index], ruleId, message }) => {
    const { name, start } = files.findLast((file) => file.start <= index);
    if (ruleId === 'gatehouse' ? isException(name) : isInvented(name, ruleId)) return [];
    return [`${name}:${content.slice(start, index).split('\n').length}: ${message}`];
  });
}

const isException = (name) => Object.hasOwn(EXCEPTIONS, name) || FIXTURES.test(name);

const isInvented = (name, ruleId) => name.endsWith('.spec.ts') && URL_RULES.test(ruleId);

/** Returns the paths of the text files in a folder, with slashes. */
function listFiles(folder, prefix = '') {
  return fs.readdirSync(path.join(folder, prefix), { withFileTypes: true }).flatMap((entry) => {
    const name = prefix + entry.name;
    if (IGNORED.test(entry.name)) return [];
    if (entry.isDirectory()) return listFiles(folder, `${name}/`);
    return entry.isFile() && !BINARY.includes(path.extname(name)) ? [name] : [];
  });
}
