import type { ExpoConfig } from 'expo/config';

// `npm run example` sets these variables; Expo also reads the .env file.
const env = process.env as Record<string, string | undefined>;

const config: ExpoConfig = {
  name: 'Orders',
  slug: 'orders',
  // Sign-ins in the browser return to com.example.orders://signed-in.
  scheme: 'com.example.orders',
  ios: { bundleIdentifier: 'com.example.orders', usesAppleSignIn: true },
  android: { package: 'com.example.orders' },
  plugins: ['expo-secure-store', 'expo-web-browser', 'expo-apple-authentication'],
  extra: {
    gatehouseUrl: env.GATEHOUSE_URL,
    publishableKey: env.GATEHOUSE_PUBLISHABLE_KEY,
    apiUrl: env.API_URL ?? 'http://localhost:4200/api',
  },
};

export default config;
