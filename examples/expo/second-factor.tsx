import { useSignIn, type Challenge } from '@gatehouse/expo';
import { useState } from 'react';
import { Button, Text, TextInput } from 'react-native';

export function SecondFactor({ challenge: { token } }: { challenge: Challenge }) {
  const { challenge, isPending, error } = useSignIn();
  const [code, setCode] = useState('');
  // Errors are in `error`. After a correct code, <SignedIn> replaces this screen.
  const submit = () => void challenge.totp({ token, code }).catch(() => setCode(''));

  return (
    <>
      <Text>Enter the code from your authenticator app</Text>
      <TextInput
        placeholder="Code"
        accessibilityLabel="Code"
        autoComplete="one-time-code"
        keyboardType="number-pad"
        value={code}
        onChangeText={setCode}
      />
      <Button title="Continue" disabled={isPending} onPress={submit} />
      {error && <Text accessibilityRole="alert">{error.code}</Text>}
    </>
  );
}
