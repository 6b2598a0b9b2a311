import { useAuth } from '@gatehouse/expo';
import { useState } from 'react';
import { Button, Text } from 'react-native';
import { ordersUrl } from './gatehouse';

export function Orders() {
  const { customer, fetch, signOut } = useAuth();
  const [message, setMessage] = useState('');

  const showError = (error: Error) => setMessage(error.message);
  const showOrders = () => {
    fetch(ordersUrl)
      .then((response) => response.text())
      .then(setMessage, showError);
  };

  return (
    <>
      <Text>Signed in as {customer?.email}</Text>
      <Button title="Show orders" onPress={showOrders} />
      <Button title="Sign out" onPress={() => void signOut().catch(showError)} />
      <Text>{message}</Text>
    </>
  );
}
