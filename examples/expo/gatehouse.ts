import { appleSignIn, createExpoClient } from '@gatehouse/expo';
import * as AppleAuthentication from 'expo-apple-authentication';
import Constants from 'expo-constants';

const { gatehouseUrl, publishableKey, apiUrl } = Constants.expoConfig!.extra as Record<string, string>;

export const ordersUrl = `${apiUrl}/orders`;

export const gatehouse = createExpoClient({
  url: gatehouseUrl!,
  publishableKey: publishableKey!,
  apiOrigins: [apiUrl!],
  apple: appleSignIn(AppleAuthentication),
});
