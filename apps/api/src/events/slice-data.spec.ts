import { sliceData } from './slice-data.js';

describe('sliceData', () => {
  it.each([
    ['an event', '{"type":"app.paid","data":{"a":1}}', ['{"a":1}']],
    ['numbers', '{"data":{"total":49.90,"rate":0.12345678901234567890,"e":1E2}}', undefined],
    ['keys that objects would sort', '{"data":{"b":1,"2":{},"1":[]}}', ['{"b":1,"2":{},"1":[]}']],
    ['white space', ' \n{ "data" :\t{ "a" : [ 1 , 2 ] }\r\n, "type":"app.paid" } ', ['{ "a" : [ 1 , 2 ] }']],
    ['escapes', '{"data":{"a":"\\u00e9\\/\\"}],","b\\\\":"{"}}', ['{"a":"\\u00e9\\/\\"}],","b\\\\":"{"}']],
    ['members named data', '{"data":{"data":{"data":1}},"x":{"data":2}}', ['{"data":{"data":1}}']],
    ['an escaped key', '{"d\\u0061ta":{"a":1}}', ['{"a":1}']],
    ['a repeated key', '{"data":{"a":1},"data":{"a":2}}', ['{"a":2}']],
    ['a string with the value data', '{"type":"data","project_id":"data","data":{}}', ['{}']],
    ['a list', '[{"data":{"a":[{}]}},\n{"type":"x","data":{"b":{}}} ]', ['{"a":[{}]}', '{"b":{}}']],
    ['a list with an event without data', '[{"data":{}},{"type":"x"},{},{"data":[]}]', ['{}', '', '', '[]']],
    ['an empty list', '[]', []],
    ['an event without members', '{}', ['']],
  ])('returns `data` exactly as it was sent: %s', (_, body, slices) => {
    expect(sliceData(body)).toEqual(slices ?? [body.slice('{"data":'.length, -1)]);
  });
});
