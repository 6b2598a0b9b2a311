import vm from 'node:vm';

const { compileFunction, SourceTextModule } = vm;

/**
 * Compiled code of this jest worker's modules, by file.
 * @type {Map<string, { code: string, cachedData: Buffer }>}
 */
const compiled = new Map();

/** Returns the options that contain a file's compiled code, or undefined if it is not known. */
function withCompiledCode(file, code, options) {
  const known = compiled.get(file);
  return known?.code === code ? { ...options, cachedData: known.cachedData } : undefined;
}

/**
 * Makes Jest compile each module once per worker. Otherwise, it compiles all modules again for each test file, which
 * takes a quarter of the CPU time of unit tests. The modules are still evaluated for each test file. In Node.js 20,
 * modules from a code cache cannot import other modules dynamically.
 */
export function cacheCompiledCode() {
  if (Number(process.versions.node.split('.')[0]) < 24) return;
  vm.compileFunction = function compileFunctionOnce(code, parameters, options = {}) {
    const file = options.filename;
    const cachedOptions = withCompiledCode(file, code, options);
    if (cachedOptions || !file) return compileFunction(code, parameters, cachedOptions ?? options);
    const result = compileFunction(code, parameters, { ...options, produceCachedData: true });
    compiled.set(file, { code, cachedData: result.cachedData });
    return result;
  };

  vm.SourceTextModule = class SourceTextModuleOnce extends SourceTextModule {
    constructor(code, options = {}) {
      const file = options.identifier;
      const cachedOptions = withCompiledCode(file, code, options);
      super(code, cachedOptions ?? options);
      if (!cachedOptions && file) compiled.set(file, { code, cachedData: this.createCachedData() });
    }
  };
}
