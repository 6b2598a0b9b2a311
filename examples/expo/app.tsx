import { GatehouseProvider, SignedIn, SignedOut } from '@gatehouse/expo';
import { StyleSheet, View } from 'react-native';
import { gatehouse } from './gatehouse';
import { Orders } from './orders';
import { SignIn } from './sign-in';

export const App = () => (
  <GatehouseProvider client={gatehouse}>
    <View style={styles.screen}>
      <SignedOut>
        <SignIn />
      </SignedOut>
      <SignedIn>
        <Orders />
      </SignedIn>
    </View>
  </GatehouseProvider>
);

const styles = StyleSheet.create({ screen: { flex: 1, justifyContent: 'center', gap: 12, padding: 24 } });
