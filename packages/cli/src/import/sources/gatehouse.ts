import { readObjects } from '../read-files.js';
import { exceedsDepth, hasInexactInteger, notImported, toText } from '../source-fields.js';
import type { ImportedCustomer, ImportSource } from '../source.js';
import { reasons } from '../reasons.js';

/** Maximum number of levels of a line. */
const MAX_DEPTH = 20;

/** Customers in the format of Gatehouse's own imports and exports (docs/imports.md). The server checks their fields. */
export const gatehouse: ImportSource = {
  name: 'gatehouse',
  files: 'one JSON object per line, or a JSON array, in the format of `gatehouse customers export`',
  providers: {},
  async *read(files) {
    for (const file of files)
      for await (const { position, value } of readObjects(file)) {
        const sourceId = toText(value?.['id']) || toText(value?.['externalId']) || null;
        if (!value || exceedsDepth(value, MAX_DEPTH))
          yield notImported(position, sourceId, '', reasons.invalidRecord);
        else if (hasInexactInteger(value)) yield notImported(position, sourceId, '', reasons.inexactInteger);
        else yield { position, sourceId, customer: value as unknown as ImportedCustomer, leftOut: [] };
      }
  },
};
