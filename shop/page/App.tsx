import { Navigate, Route, Routes } from "react-router";
import { useShop } from "./data.ts";
import { Frame } from "./Frame.tsx";
import { BalanceScreen } from "./screens/BalanceScreen.tsx";
import { BulkScreen } from "./screens/BulkScreen.tsx";
import { BuyScreen } from "./screens/BuyScreen.tsx";
import { Closed } from "./screens/Closed.tsx";
import { FedexOrdersScreen } from "./screens/FedexOrdersScreen.tsx";
import { FedexScreen } from "./screens/FedexScreen.tsx";
import { HomeScreen } from "./screens/HomeScreen.tsx";
import { InvoiceScreen } from "./screens/InvoiceScreen.tsx";
import { NothingScreen } from "./screens/NothingScreen.tsx";
import { OrderScreen } from "./screens/OrderScreen.tsx";
import { OrdersScreen } from "./screens/OrdersScreen.tsx";
import { PricesScreen } from "./screens/PricesScreen.tsx";
import { SignInScreen } from "./screens/SignInScreen.tsx";
import { SignUpScreen } from "./screens/SignUpScreen.tsx";

export function App() {
  const { data: shop, error } = useShop();
  if (!shop) return error ? <Closed standing="offline" /> : null;
  if (!shop.isSignedIn && shop.standing !== "ready") return <Closed standing={shop.standing} />;
  if (!shop.isSignedIn)
    return (
      <Routes>
        <Route path="/sign-up" element={<SignUpScreen />} />
        <Route path="*" element={<SignInScreen demoCustomers={shop.demoCustomers} />} />
      </Routes>
    );
  return (
    <Routes>
      <Route element={<Frame />}>
        <Route path="/" element={<HomeScreen />} />
        <Route path="/ship" element={<BuyScreen />} />
        <Route path="/ship/bulk" element={<BulkScreen />} />
        <Route path="/ship/fedex" element={<FedexScreen />} />
        <Route path="/orders" element={<OrdersScreen />} />
        <Route path="/orders/fedex" element={<FedexOrdersScreen />} />
        <Route path="/orders/:id" element={<OrderScreen />} />
        <Route path="/prices" element={<PricesScreen />} />
        <Route path="/balance" element={<BalanceScreen />} />
        <Route path="/balance/:id" element={<InvoiceScreen />} />
        <Route path="/sign-up" element={<Navigate to="/" replace />} />
        <Route path="*" element={<NothingScreen />} />
      </Route>
    </Routes>
  );
}
