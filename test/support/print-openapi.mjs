import { openApiDocuments } from '../../scripts/openapi-document.mjs';
import { mergeDocuments } from './conformance.mjs';

// Prints the built API's OpenAPI document. This is a separate program, because loading the API in the test run's
// process would register its entities with TypeORM a second time.
process.stdout.write(JSON.stringify(mergeDocuments(await openApiDocuments())));
