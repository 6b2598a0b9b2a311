import { openApiDocuments } from '../../scripts/openapi-document.mjs';
import { mergeDocuments } from './conformance.mjs';

// Prints the built API's OpenAPI document. A process of its own does this, because TypeORM would register the entities
// of an api in the test run's process again.
process.stdout.write(JSON.stringify(mergeDocuments(await openApiDocuments())));
