const path = require('node:path');
const { getDefaultConfig } = require('expo/metro-config');

const config = getDefaultConfig(__dirname);
const entry = path.join(__dirname, 'index.ts');

// Required only in this repository, where the @gatehouse packages are linked and must import the app's packages.
config.watchFolders = [path.join(__dirname, '..', '..', 'packages')];
config.resolver.resolveRequest = (context, name, platform) => {
  const isOutside = !context.originModulePath.startsWith(__dirname + path.sep);
  const isPackage = !name.startsWith('.') && !path.isAbsolute(name);
  const origin = isOutside && isPackage ? { originModulePath: entry } : {};
  return context.resolveRequest({ ...context, ...origin }, name, platform);
};

module.exports = config;
